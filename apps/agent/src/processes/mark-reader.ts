/**
 * Reads the marks of all processes without waiting for any of them (FLOW-7). A process whose memory is locked, for example
 * because a disk does not answer it, blocks the reader of its environment. A helper therefore reads, as long as it has
 * something new to report; then it is ended, and unreported marks stay unknown. Reading the identity of a process
 * (`ProcessRow`) blocks nothing.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { outOfResources } from '@roundhouse/backend-types'
import { listProcesses, type ProcessRow } from '@roundhouse/owner'
import { requireProgram } from '../files/require-program'
import { type Marks, type MarksAsked, type MarksLine, READS_AT_ONCE } from './marks-asked'

export interface MarksSeen {
  /** The marks of each process that could be read. */
  marks: ReadonlyMap<number, Marks>
  /** They did not answer. */
  unread: ReadonlySet<number>
}

/** Rejects with a code that passes where nobody can look now. */
export type ReadMarks = (names: readonly string[]) => Promise<MarksSeen>

export interface MarkReaderOptions {
  /** `reaper.js`, which without arguments is the helper. Without one nobody can look. */
  entry: string | undefined
  /** Without anything new. */
  limitMs?: number
  rows?: () => ProcessRow[]
}

interface Hung {
  helper: ChildProcess
  until: number
}

/** The start time of a process on a busy machine. */
const START_MS = 20_000
const LIMIT_MS = 2_000
/** A process that did not answer is not read again before this time. */
const HUNG_MS = 30_000

/** A caller during a reading shares the next one: processes that began in the meantime are not in this one. */
export function markReader({ entry, limitMs = LIMIT_MS, rows = listProcesses }: MarkReaderOptions): ReadMarks {
  const hung = new Map<string, Hung>()
  let last: Promise<unknown> = Promise.resolve()
  let next: { names: Set<string>; seen: Promise<MarksSeen> } | null = null

  const look = async (names: ReadonlySet<string>): Promise<MarksSeen> => {
    for (const [key, one] of hung) if (one.until < performance.now() && isGone(one.helper)) hung.delete(key)
    const alive = rows().filter(({ pid, zombie }) => !zombie && pid !== process.pid)
    const asked = alive.filter((row) => !hung.has(keyOf(row)))
    const helper = start(entry)
    const marks = await heardFrom(helper, { pids: asked.map(({ pid }) => pid), names: [...names] }, limitMs)
    const until = performance.now() + HUNG_MS
    for (const row of asked) if (!marks.has(row.pid)) hung.set(keyOf(row), { helper, until })
    return { marks, unread: new Set(alive.flatMap(({ pid }) => (marks.has(pid) ? [] : pid))) }
  }

  return (names) => {
    if (next === null) {
      const wanted = new Set<string>()
      const seen = last.then(() => {
        next = null
        return look(wanted)
      })
      last = seen.catch(() => {})
      next = { names: wanted, seen }
    }
    for (const name of names) next.names.add(name)
    return next.seen
  }
}

/** Who has all of these in its environment, as far as it could be read. */
export async function processesMarked(readMarks: ReadMarks, entries: Marks): Promise<number[]> {
  const { marks } = await readMarks(Object.keys(entries))
  const has = (one: Marks) => Object.entries(entries).every(([name, value]) => one[name] === value)
  return [...marks].flatMap(([pid, one]) => (has(one) ? pid : []))
}

const keyOf = ({ pid, start }: ProcessRow): string => `${pid} ${start}`

/** One that is ended and stuck in the kernel is not. */
const isGone = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null

function start(entry: string | undefined): ChildProcess {
  requireProgram(entry ?? '')
  const env = { UV_THREADPOOL_SIZE: String(READS_AT_ONCE) }
  try {
    const child = spawn(process.execPath, [entry ?? ''], { cwd: '/', env, stdio: ['pipe', 'pipe', 'ignore'] })
    child.unref()
    return child
  } catch (error) {
    throw outOfResources(error)
  }
}

/** What it had told when it was done, or had nothing new for so long. */
function heardFrom(helper: ChildProcess, asked: MarksAsked, limitMs: number): Promise<Map<number, Marks>> {
  const marks = new Map<number, Marks>()
  return new Promise((resolve, reject) => {
    const settle = (how: () => void) => {
      clearTimeout(timer)
      helper.kill('SIGKILL')
      how()
    }
    const missing = (cause?: unknown) => settle(() => reject(outOfResources(cause)))
    let timer = setTimeout(missing, START_MS)
    helper.once('error', missing).once('exit', () => missing(new Error('what reads the marks ended')))
    // Where descriptors were missing there are no pipes.
    helper.stdin?.on('error', () => {})
    if (helper.stdout)
      createInterface({ input: helper.stdout })
        .on('line', (text) => {
          const line = JSON.parse(text) as MarksLine
          if (line.failed !== undefined) return missing(new Error(line.failed))
          if (line.done) return settle(() => resolve(marks))
          if (line.pid !== undefined) marks.set(line.pid, line.marks ?? {})
          clearTimeout(timer)
          timer = setTimeout(() => settle(() => resolve(marks)), limitMs)
        })
        .on('error', () => {})
    helper.stdin?.write(`${JSON.stringify(asked)}\n`)
  })
}
