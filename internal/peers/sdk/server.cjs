// A server of the official TypeScript SDK: node server.cjs v1|v2 legacy|modern.
// It prints its URL. PEERS_MODULES is the folder that holds node_modules.
const http = require('node:http')
const { randomUUID } = require('node:crypto')
const { createRequire } = require('node:module')
const load = createRequire(process.env.PEERS_MODULES + '/')

const [version, era] = process.argv.slice(2)
const uri = 'note://today'
const tools = ['echo', 'count', 'wait', 'canceled', 'elicit', 'sample', 'touch'].map((name) => ({ name, inputSchema: { type: 'object' } }))
const said = (text) => ({ content: [{ type: 'text', text }] })
const question = { message: 'who?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } }
const prompt = { maxTokens: 10, messages: [{ role: 'user', content: { type: 'text', text: 'nasi' } }] }
const options = { capabilities: { tools: {}, resources: { subscribe: true } } }
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
let canceled = 0
let touched = () => {}

// use answers tools/call; io is what differs between the SDKs.
async function use(params, io) {
  switch (params.name) {
    case 'echo':
      return said(params.arguments.text)
    case 'count':
      for (let i = 1; i <= 5; i++) {
        await io.notify({ method: 'notifications/progress', params: { progressToken: io.token, progress: i, total: 5 } })
        await pause(30) // the client's SDK loses progress that comes with the result
      }
      return said('counted')
    case 'wait': // the client learns that it waits
      await io.notify({ method: 'notifications/progress', params: { progressToken: io.token, progress: 1 } })
      await new Promise((resolve) => io.signal.addEventListener('abort', resolve))
      canceled++
      throw new Error('canceled')
    case 'canceled':
      for (let i = 0; i < 100 && !canceled; i++) await pause(50)
      return said(`${canceled} canceled`)
    case 'elicit':
      return io.elicit((r) => said(`${r.action} ${r.content?.name}`))
    case 'sample':
      return io.sample((r) => said(r.content.text ?? r.content[0].text))
    case 'touch':
      touched()
      return said('touched')
  }
  throw new Error('no such tool')
}

function v1() {
  const { Server } = load('@modelcontextprotocol/sdk/server/index.js')
  const t = load('@modelcontextprotocol/sdk/types.js')
  const server = new Server({ name: 'ts-v1', version: '1.0.0' }, options)
  server.setRequestHandler(t.ListToolsRequestSchema, () => ({ tools }))
  server.setRequestHandler(t.SubscribeRequestSchema, () => ({}))
  server.setRequestHandler(t.UnsubscribeRequestSchema, () => ({}))
  server.setRequestHandler(t.CallToolRequestSchema, ({ params }, extra) =>
    use(params, {
      notify: extra.sendNotification,
      token: extra._meta?.progressToken,
      signal: extra.signal,
      elicit: async (then) => then(await extra.sendRequest({ method: 'elicitation/create', params: question }, t.ElicitResultSchema)),
      sample: async (then) => then(await extra.sendRequest({ method: 'sampling/createMessage', params: prompt }, t.CreateMessageResultSchema)),
    }))
  touched = () => server.sendResourceUpdated({ uri })
  return server
}

function v2() {
  const { Server, inputRequired } = load('@modelcontextprotocol/server')
  const server = new Server({ name: 'ts-v2', version: '1.0.0' }, options)
  server.setRequestHandler('tools/list', () => ({ tools }))
  server.setRequestHandler('resources/subscribe', () => ({}))
  server.setRequestHandler('resources/unsubscribe', () => ({}))
  server.setRequestHandler('tools/call', ({ params }, ctx) => {
    const ask = (request) => (then) => {
      const answer = ctx.mcpReq.inputResponses?.q
      return answer ? then(answer) : inputRequired({ inputRequests: { q: request() } })
    }
    return use(params, {
      notify: ctx.mcpReq.notify,
      token: ctx.mcpReq._meta?.progressToken,
      signal: ctx.mcpReq.signal,
      elicit: era === 'modern' ? ask(() => inputRequired.elicit(question)) : async (then) => then(await ctx.mcpReq.elicitInput(question)),
      sample: era === 'modern' ? ask(() => inputRequired.createMessage(prompt)) : async (then) => then(await ctx.mcpReq.requestSampling(prompt)),
    })
  })
  if (era !== 'modern') touched = () => server.sendResourceUpdated({ uri })
  return server
}

// sessions serves requests in sessions; make returns a transport, and serve
// hands it a request.
function sessions(make, serve) {
  const open = new Map()
  return async (req, res, body) => {
    const id = req.headers['mcp-session-id']
    if (id && !open.has(id)) return res.writeHead(404).end()
    if (!id && body?.method !== 'initialize') return res.writeHead(400).end()
    const transport = id ? open.get(id) : await make({ sessionIdGenerator: randomUUID, onsessioninitialized: (made) => void open.set(made, transport) })
    await serve(transport, req, res, body)
  }
}

function web(req, res, text) {
  const end = new AbortController()
  res.on('close', () => end.abort())
  return new Request(`http://${req.headers.host}${req.url}`, {
    method: req.method, headers: req.headers, signal: end.signal, body: text === '' ? undefined : text,
  })
}

async function reply(res, response) {
  res.writeHead(response.status, Object.fromEntries(response.headers))
  res.flushHeaders()
  if (response.body) {
    const body = response.body.getReader()
    res.on('close', () => body.cancel().catch(() => {}))
    for (let piece = await body.read(); !piece.done; piece = await body.read()) res.write(piece.value)
  }
  res.end()
}

let handle
if (version === 'v1') {
  const { StreamableHTTPServerTransport } = load('@modelcontextprotocol/sdk/server/streamableHttp.js')
  handle = sessions(
    async (o) => {
      const transport = new StreamableHTTPServerTransport(o)
      await v1().connect(transport)
      return transport
    },
    (transport, req, res, body) => transport.handleRequest(req, res, body))
} else if (era === 'legacy') {
  const { WebStandardStreamableHTTPServerTransport } = load('@modelcontextprotocol/server')
  handle = sessions(
    async (o) => {
      const transport = new WebStandardStreamableHTTPServerTransport(o)
      await v2().connect(transport)
      return transport
    },
    async (transport, req, res, body) =>
      reply(res, await transport.handleRequest(web(req, res, body ? JSON.stringify(body) : ''), { parsedBody: body })))
} else {
  const { createMcpHandler } = load('@modelcontextprotocol/server')
  const handler = createMcpHandler(v2, { legacy: 'reject' })
  touched = () => handler.notify.resourceUpdated(uri)
  handle = async (req, res, body) => reply(res, await handler.fetch(web(req, res, body ? JSON.stringify(body) : '')))
}

const server = http.createServer(async (req, res) => {
  let text = ''
  for await (const piece of req) text += piece
  try {
    await handle(req, res, text === '' ? undefined : JSON.parse(text))
  } catch (e) {
    if (!res.writableEnded && e.name !== 'AbortError') console.error(e)
    res.destroy()
  }
})
server.listen(0, '127.0.0.1', () => console.log(`on http://127.0.0.1:${server.address().port}/mcp`))
