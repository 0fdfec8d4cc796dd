#!/usr/bin/env node
// Starts the binary that npm has installed for this system, and ends as it does.
"use strict";
const { spawn } = require("node:child_process");
const packages = {
  "darwin arm64": "@mcp-bridge/darwin/bin/bridge",
  "darwin x64": "@mcp-bridge/darwin/bin/bridge",
  "linux arm64": "@mcp-bridge/linux-arm64/bin/bridge",
  "linux x64": "@mcp-bridge/linux-x64/bin/bridge",
  "win32 arm64": "@mcp-bridge/win32-arm64/bin/bridge.exe",
  "win32 x64": "@mcp-bridge/win32-x64/bin/bridge.exe",
};
const system = `${process.platform} ${process.arch}`;
let binary;
try {
  binary = require.resolve(packages[system] ?? "");
} catch {
  console.error(packages[system]
    ? `bridge: error: the package with the program for ${system} is not installed\nbridge: hint: install again without --no-optional and --omit=optional`
    : `bridge: error: there is no program for ${system}`);
  process.exit(1);
}
const child = spawn(binary, process.argv.slice(2), { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (err) => { console.error(`bridge: error: ${err.message}`); process.exit(1); });
child.on("exit", (code, signal) => process.exit(signal ? 1 : code));
