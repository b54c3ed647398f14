#!/usr/bin/env node

const { spawn } = require("child_process");
const readline = require("readline");

const backend = spawn("node", ["dist/index.js"], {
  stdio: ["pipe", "pipe", "inherit"],
});

// Read responses
const rl = readline.createInterface({ input: backend.stdout });
rl.on("line", (line) => {
  const msg = JSON.parse(line);
  console.log("<<<", JSON.stringify(msg, null, 2));

  // Auto-approve permissions
  if (msg.type === "callback.request" && msg.payload.callback_type === "can_use_tool") {
    send({
      type: "callback.response",
      id: msg.id,
      session_id: msg.session_id,
      payload: { behavior: "allow" },
    });
  }
});

// Send helper
function send(msg) {
  console.log(">>>", JSON.stringify(msg));
  backend.stdin.write(JSON.stringify(msg) + "\n");
}

// Create session
send({
  type: "session.create",
  id: "test-1",
  payload: {
    prompt: "What is 2+2?",
    cwd: process.cwd(),
    options: {
      model: "sonnet",
    },
  },
});

// Handle Ctrl+C
process.on("SIGINT", () => {
  backend.kill();
  process.exit(0);
});
