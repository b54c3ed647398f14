#!/usr/bin/env node
/**
 * Stands in for OpenClaw where the real one is not installed: `gateway run` listens where its configuration says, and `acp` speaks the
 * protocol as long as that gateway answers. Both write what they were given into the folder of the conversation. The last words of
 * SCRIPTED_OPENCLAW make it fail: `no-gateway` ends the gateway at once, `gateway-dies` after the first prompt.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'

const [command] = process.argv.slice(2)
const behaviour = process.env.SCRIPTED_OPENCLAW ?? ''

if (command === '--version') {
  console.log('OpenClaw 2026.9.6 (scripted)')
} else {
  const config = JSON.parse(readFileSync(process.env.OPENCLAW_CONFIG_PATH, 'utf8'))
  const state = process.env.OPENCLAW_STATE_DIR
  writeFileSync(join(state, `${command}.json`), JSON.stringify({ pid: process.pid, config, env: process.env }))
  if (command === 'gateway') runGateway(config)
  else await runFront(config, state)
}

function runGateway({ gateway: { port, auth } }) {
  if (behaviour === 'no-gateway') {
    console.error('Gateway failed to start: the port is taken')
    process.exit(78)
  }
  const server = createServer((request, response) => {
    if (request.url === '/healthz') return response.end('{"ok":true}')
    if (request.headers.authorization !== `Bearer ${auth.token}`) return response.writeHead(401).end()
    response.end('{"ok":true}')
    if (request.url === '/prompt' && behaviour === 'gateway-dies') {
      console.error('out of memory')
      setImmediate(() => process.exit(7))
    }
  })
  server.listen(port, '127.0.0.1')
  process.on('SIGTERM', () => process.exit(0))
}

async function runFront({ gateway: { port, auth } }, state) {
  // Its conversations are the gateway's.
  process.env.HOME = state
  process.argv[2] = ''
  await import('./scripted-program.mjs')
  const ask = (path) =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: `Bearer ${auth.token}` } }).catch(
      () => undefined,
    )
  process.stdin.on('data', (data) => void (String(data).includes('session/prompt') && ask('/prompt')))
  if ((await ask('/'))?.ok) return
  console.error('the gateway does not answer')
  process.exit(1)
}
