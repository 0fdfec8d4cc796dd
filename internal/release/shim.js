// Claude Desktop for macOS unpacks extensions without their modes, so that a
// binary cannot be started directly (modelcontextprotocol/mcpb#294). This makes
// it executable, starts it in the place of itself, and ends as it does.
"use strict";
const { chmodSync } = require("node:fs");
const { spawn } = require("node:child_process");
const binary = require("node:path").join(__dirname, "bridge");
chmodSync(binary, 0o755);
const child = spawn(binary, process.argv.slice(2), { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (err) => { console.error(`bridge: error: ${err.message}`); process.exit(1); });
child.on("exit", (code, signal) => process.exit(signal ? 1 : code));
