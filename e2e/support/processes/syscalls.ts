/**
 * The writes and syncs of a process's main thread, in order, as the kernel saw them. Needs `strace` and the right to
 * attach. If either is missing, `trace` resolves to the reason.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { freshFolder } from '../common/paths'

export interface Call {
  name: string
  /** What the descriptor refers to: a path, or the kind of a socket. */
  on: string
  bytes: Buffer
  /** Seconds of the machine's clock. */
  begun: number
  ended: number
}

export interface Trace {
  /** Detaches and returns the recorded calls. */
  end(): Promise<Call[]>
}

export async function trace(pid: number): Promise<Trace | string> {
  const file = path.join(freshFolder('trace'), 'calls')
  const calls = 'trace=write,writev,pwrite64,pwritev,sendto,sendmsg,fsync,fdatasync'
  const strace = spawn('strace', ['-p', String(pid), '-ttt', '-T', '-y', '-xx', '-s', '70000', '-e', calls, '-o', file])
  const refusal = await attached(strace)
  if (refusal !== null) return refusal
  return {
    end: async () => {
      strace.kill('SIGINT')
      await once(strace, 'exit')
      const seen = readFileSync(file, 'utf8').split('\n').flatMap(readCall)
      rmSync(path.dirname(file), { recursive: true })
      return seen
    },
  }
}

/** Resolves to null once it is attached, otherwise to its message. */
function attached(strace: ChildProcess): Promise<string | null> {
  return new Promise((resolve) => {
    let said = ''
    strace.once('error', (error) => resolve(`strace does not start: ${error.message}`))
    strace.once('exit', () => resolve(`strace may not attach: ${said.trim()}`))
    strace.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said += text
      if (/attached/.test(said)) resolve(null)
    })
  })
}

function readCall(line: string): Call[] {
  const parts = /^(\d+\.\d+) (\w+)\(\d+<((?:\\x[0-9a-f]{2}|[^>\\])*)>(.*)\) = \d+ <(\d+\.\d+)>$/.exec(line)
  if (!parts) return []
  const [, begun = '', name = '', on = '', rest = '', took = ''] = parts
  const bytes = Buffer.concat([...rest.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, hex = '']) => unhex(hex)))
  return [{ name, on: readable(on), bytes, begun: Number(begun), ended: Number(begun) + Number(took) }]
}

const unhex = (text: string) => Buffer.from(text.replaceAll('\\x', ''), 'hex')
const readable = (text: string) => text.replace(/(?:\\x[0-9a-f]{2})+/g, (hex) => unhex(hex).toString())

export const isSync = ({ name }: Call) => name === 'fsync' || name === 'fdatasync'

/** The payload of a WebSocket frame from a client, which is masked with four bytes of its head. */
export function unmasked(bytes: Buffer): string {
  const short = (bytes[1] ?? 0) & 0x7f
  const at = short === 126 ? 4 : short === 127 ? 10 : 2
  const mask = bytes.subarray(at, at + 4)
  return Buffer.from(bytes.subarray(at + 4).map((byte, index) => byte ^ (mask[index % 4] ?? 0))).toString()
}
