/**
 * `roundhouse-agent run`: one prompt to one program on this machine, without a hub. The answer goes to stdout, all else to stderr.
 * The machine's policy holds. A signal, or a reader of stdout that leaves, stops the run; no process of it is left (EXEC-6).
 */
import { mkdirSync } from 'node:fs'
import type { AgentRunResult } from '@roundhouse/backend-types'
import { endLeftBehind } from '../bridge/left-behind'
import { Machine, type MachineOptions } from '../bridge/machine'
import { logToStderr, printTo } from '../files/log-line'
import { createRedactor, credentialsOf } from '../redact/redactor'
import { prepareRun } from './prepare-run'
import { readPrompt } from './read-prompt'
import { RunPrinter } from './run-printer'
import { stopOf } from './stop'
import { TerminalAsker } from './terminal-asker'

export interface RunAsked {
  /** Null: from stdin. */
  prompt: string | null
  backend: string
  folder: string | null
  model: string | null
  /** Requests for permission are asked on the terminal; otherwise they are denied. */
  ask: boolean
  json: boolean
}

/** Resolves with the exit code: 0 where the run did what it was asked, 1 otherwise, 128 and its number for a signal. */
export async function runOnce(asked: RunAsked, options: Omit<MachineOptions, 'redact'>): Promise<number> {
  const redact = createRedactor(credentialsOf(options.env))
  const log = (line: string) => logToStderr(redact(line).text)
  printTo(log)
  const stop = stopOf(process, log)
  const asker = asked.ask ? TerminalAsker.open() : null
  try {
    const prompt = await readPrompt(asked.prompt, process.stdin, stop.signal)
    mkdirSync(options.home.bridges, { recursive: true, mode: 0o700 })
    const machine = new Machine({ ...options, redact })
    const swept = endLeftBehind(machine.folders, log)
    const note = (line: string) => void process.stderr.write(`roundhouse-agent: ${redact(line).text}\n`)
    const printer = new RunPrinter({ out: process.stdout, note, json: asked.json, stopped: stop.signal })
    const run = await prepareRun(machine, asked, { asker, stopped: stop.signal, log })
    let result: AgentRunResult | null = null
    for await (const event of run.execute(prompt)) {
      await printer.print(event)
      if (event.type === 'done') result = event.result
    }
    await swept
    return stop.code ?? (result?.errorSubtype === undefined ? 0 : 1)
  } finally {
    asker?.close()
  }
}
