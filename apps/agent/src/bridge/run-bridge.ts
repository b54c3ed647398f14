/**
 * `roundhouse-agent bridge`: JSON lines on stdin and stdout, everything else on stderr, without a secret. It ends with its client:
 * at the end of stdin, when stdout is closed, or by a signal; and no process of a session outlives it.
 */
import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { LineSplitter } from '@roundhouse/lines'
import type { AgentHome } from '../files/agent-home'
import { logToStderr, printTo } from '../files/log-line'
import { createRedactor, credentialsOf } from '../redact/redactor'
import { Bridge } from './bridge'
import { endLeftBehind } from './left-behind'
import { Machine } from './machine'
import { LONGEST_LINE_BYTES } from './messages/read-message'
import { Outlet } from './outlet'
import { CALLBACK_TIMEOUT_MS, realTimer } from './session/callbacks'

export interface BridgeOptions {
  home: AgentHome
  env: Record<string, string | undefined>
  reaperEntry: string
  playerPath: string
  backend: string
  callbackMs: number | null
}

/** How long the client may take to read the last messages. */
const FLUSH_LIMIT_MS = 2_000

/** Resolves with the exit code. */
export async function runBridge(options: BridgeOptions): Promise<number> {
  const { home, env, reaperEntry, playerPath, backend, callbackMs } = options
  const redact = createRedactor(credentialsOf(env))
  const log = (line: string) => logToStderr(redact(line).text)
  printTo(log)
  mkdirSync(home.bridges, { recursive: true, mode: 0o700 })
  const machine = new Machine({ home, env, reaperEntry, playerPath, redact })
  void endLeftBehind(machine.folders, log)
  const outlet = new Outlet(process.stdout, (isFull) => bridge.pauseOutput(isFull))
  const bridge: Bridge = new Bridge({
    machine,
    backend,
    callbackTimeoutMs: callbackMs ?? CALLBACK_TIMEOUT_MS,
    timer: realTimer,
    newId: randomUUID,
    say: (reply) => outlet.write(reply),
    log,
  })
  const why = clientGone(bridge, outlet)
  log(`bridge ready: ${backend}`)
  const { reason, code } = await why
  log(`bridge ends: ${reason}`)
  await bridge.dispose()
  await Promise.race([outlet.flushed(), new Promise((resolve) => setTimeout(resolve, FLUSH_LIMIT_MS))])
  return code
}

interface End {
  reason: string
  /** The exit code. */
  code: number
}

/** Reads the client's lines until it is gone. Resolves to what said so. */
function clientGone(bridge: Bridge, outlet: Outlet): Promise<End> {
  const { stdin, stdout } = process
  return new Promise((resolve) => {
    const gone = (reason: string, code = 0) => resolve({ reason, code })
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => gone(signal))
    const lines = new LineSplitter(LONGEST_LINE_BYTES)
    stdin.on('data', (chunk: Buffer) => {
      for (const line of lines.push(chunk)) bridge.heard(line)
      outlet.holdBack(stdin)
    })
    stdin.once('end', () => {
      for (const line of lines.end()) bridge.heard(line)
      gone('the end of stdin')
    })
    stdin.once('error', (error) => gone(`stdin: ${error.message}`))
    stdout.on('error', (error) => gone(`stdout: ${error.message}`))
    process.on('uncaughtException', (error) => {
      console.error('unexpected:', error)
      gone('an unexpected error', 1)
    })
  })
}
