/** Prints the events of a run: as JSON, a line each, or as text, where only what the program says goes to stdout. Errors and denials go to stderr. */
import type { Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type { AgentEvent, AgentRunResult } from '@roundhouse/backend-types'
import { inertLine, inertText } from '../files/inert-text'

export interface PrinterPorts {
  out: Writable & { isTTY?: boolean }
  /** A line for people, on stderr. */
  note(line: string): void
  json: boolean
  stopped: AbortSignal
}

/** How long the reader of a run that was stopped may take. */
const FLUSH_LIMIT_MS = 2_000

export class RunPrinter {
  private hasText = false
  private hasError = false

  constructor(private readonly ports: PrinterPorts) {}

  /** Resolves when the reader took it: a slow reader makes the program wait. */
  async print(event: AgentEvent): Promise<void> {
    const { json } = this.ports
    if (json) await this.write(`${JSON.stringify(event)}\n`)
    else if (event.type === 'text') await this.text(event.text)
    if (event.type === 'error') this.error(event.message, event.code)
    if (event.type === 'done') this.end(event.result)
  }

  private text(text: string): Promise<void> {
    const gap = this.hasText ? '\n' : ''
    this.hasText = true
    return this.write(`${gap}${this.ports.out.isTTY ? inertText(text) : text}\n`)
  }

  private error(message: string, code: string | undefined): void {
    this.hasError = true
    this.ports.note(inertLine(code === undefined ? message : `${message} [${code}]`))
  }

  private end({ errorSubtype, permissionDenials = [] }: AgentRunResult): void {
    for (const { tool, reason } of permissionDenials)
      this.ports.note(inertLine(`not allowed: ${tool}${reason ? `: ${reason}` : ''}`))
    if (errorSubtype !== undefined && !this.hasError) this.ports.note(inertLine(`The run ended: ${errorSubtype}.`))
  }

  private async write(text: string): Promise<void> {
    const { out, stopped } = this.ports
    const written = new Promise<void>((resolve) => out.write(text, () => resolve()))
    const enough = new AbortController()
    const left = new Promise<void>((resolve) => {
      const give = () => void delay(FLUSH_LIMIT_MS, undefined, { signal: enough.signal }).then(resolve, resolve)
      if (stopped.aborted) give()
      else stopped.addEventListener('abort', give, { once: true, signal: enough.signal })
    })
    await Promise.race([written, left])
    enough.abort()
  }
}
