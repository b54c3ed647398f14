// A server process on its own core, followed and ended by its pid only.
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import { req } from './http.mjs'
import { cores, pinned } from './pin.mjs'
import { sleep, waitFor } from './util.mjs'

export async function startServer({ command, env, log, healthUrl, timeoutMs = 60_000 }) {
  const out = fs.openSync(log, 'a')
  const begun = performance.now()
  const [program, ...args] = pinned(cores.server, command)
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['ignore', out, out] })
  fs.closeSync(out)
  const server = { pid: child.pid, exited: false, startMs: 0, kill }
  const signal = (name) => {
    if (!server.exited) child.kill(name)
  }
  child.on('exit', () => {
    server.exited = true
  })
  process.once('exit', () => signal('SIGKILL'))

  async function kill(name = 'SIGTERM') {
    signal(name)
    await waitFor(() => server.exited, 15_000, 'the server to end').catch(async () => {
      signal('SIGKILL')
      await sleep(200)
    })
  }

  async function healthy() {
    if (server.exited) throw new Error(`the server ended: ${fs.readFileSync(log, 'utf8').slice(-300)}`)
    const answer = await req(healthUrl).catch(() => null)
    return answer !== null && answer.status < 500
  }
  await waitFor(healthy, timeoutMs, 'the server to be ready', 25)
  server.startMs = Math.round(performance.now() - begun)
  return server
}
