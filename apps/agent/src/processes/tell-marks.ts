/**
 * The helper process of `mark-reader.ts`. Reading a process's environment waits while its memory is locked, possibly as long
 * as a disk does not answer. The helper reads many at once and reports each as soon as it is read; a blocked one is never
 * reported.
 */
import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { type Marks, type MarksAsked, READS_AT_ONCE } from './marks-asked'

/** Of this process: then nobody knows. */
const lacking: readonly unknown[] = ['EMFILE', 'ENFILE', 'ENOMEM']

const say = (line: object) => void process.stdout.write(`${JSON.stringify(line)}\n`)

/** Asked in one line of JSON; answered by a line for each process, and one at the end. */
export async function tellMarks(): Promise<void> {
  process.stdout.on('error', () => process.exit(1))
  say({ ready: true })
  for await (const line of createInterface({ input: process.stdin })) await answer(JSON.parse(line))
}

async function answer({ pids, names }: MarksAsked): Promise<void> {
  try {
    if (process.platform === 'linux') await readAll([...pids], names)
    else for (const [pid, environment] of environmentsByPs()) say({ pid, marks: marksIn(environment, names) })
    say({ done: true })
  } catch (error) {
    say({ failed: String(error) })
  }
}

/** A blocked process keeps its reader; the others continue. */
async function readAll(pids: number[], names: readonly string[]): Promise<void> {
  const reader = async () => {
    for (let pid = pids.pop(); pid !== undefined; pid = pids.pop()) {
      say({ pid, marks: marksIn(await environmentOf(pid), names) })
    }
  }
  await Promise.all(Array.from({ length: READS_AT_ONCE }, reader))
}

/** Empty where nobody may look. */
async function environmentOf(pid: number): Promise<string[]> {
  try {
    return (await readFile(`/proc/${pid}/environ`, 'latin1')).split('\0')
  } catch (error) {
    if (lacking.includes((error as NodeJS.ErrnoException).code)) throw error
    return []
  }
}

/** Where there is no `/proc`, `ps` shows the environment of one's own processes only, and enough for us. */
function environmentsByPs(): [number, string[]][] {
  const options = { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, env: { LC_ALL: 'C' } } as const
  const lines = execFileSync('/bin/ps', ['-axEww', '-o', 'pid=,command='], options).split('\n')
  return lines.map((line) => [Number.parseInt(line, 10), line.split(' ')])
}

function marksIn(environment: readonly string[], names: readonly string[]): Marks {
  return Object.fromEntries(
    names.flatMap((name) => {
      const entry = environment.find((one) => one.startsWith(`${name}=`))
      return entry === undefined ? [] : [[name, entry.slice(name.length + 1)]]
    }),
  )
}
