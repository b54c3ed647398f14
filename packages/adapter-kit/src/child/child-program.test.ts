import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { afterEach, describe, expect, it } from 'vitest'
import { type ChildCommand, ChildProgram } from './child-program'

const started: ChildProgram[] = []
afterEach(async () => {
  for (const child of started.splice(0)) {
    child.signal('SIGKILL')
    await child.gone
  }
})

/** A Node program, everything that it tells, and a promise of the next line. */
function program(source: string, command: Partial<ChildCommand> = {}) {
  const told: unknown[] = []
  const lines = new EventTarget()
  const child = new ChildProgram(
    { file: process.execPath, args: ['-e', source], env: {}, workDir: tmpdir(), graceMs: 20_000, ...command },
    {
      line: (line) => {
        told.push(line)
        lines.dispatchEvent(new Event('line'))
      },
      tooLong: ({ bytes }) => told.push({ bytes }),
      exit: (code, { signal, stderrTail }) => told.push({ code, signal, stderrTail }),
    },
  )
  started.push(child)
  return { child, told, line: () => once(lines, 'line') }
}

const forEver = 'setInterval(() => {}, 1000)'
/** One that nobody has collected yet counts as gone. */
function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return !stat.slice(stat.lastIndexOf(')')).startsWith(') Z')
  } catch {
    return false
  }
}

describe('a child program', () => {
  it('gets each frame as a line', async () => {
    const { child, told } = program(
      'process.stdin.once("data", (text) => process.stdout.write(text, () => process.exit(3)))',
    )
    child.write({ hello: 1 })
    expect(await child.gone).toEqual({ code: 3, info: { signal: null, stderrTail: '' } })
    expect(told).toEqual(['{"hello":1}', { code: 3, signal: null, stderrTail: '' }])
  })

  it('tells its exit once, after its last line, with the end of what it wrote to stderr', async () => {
    const { child, told } = program(
      'console.error("é".repeat(5000)); console.log("one\\n\\n \\ntwo"); process.stdout.write("half")',
    )
    await child.gone
    expect(told).toEqual(['one', 'two', 'half', { code: 0, signal: null, stderrTail: `${'é'.repeat(2047)}\n` }])
    expect([child.isAlive, child.hasExited, child.isEnding]).toEqual([false, true, false])
  })

  it('[FLOW-2] is not read during a pause, which ends with the program: its last words come before its exit', async () => {
    const words = 'process.stdin.once("data", () => process.stdout.write("two\\n", () => process.exit(0)))'
    const { child, told, line } = program(`console.log("one"); ${words}`)
    await line()
    child.pause(true)
    child.write({})
    expect(child.isPaused).toBe(true)
    await child.gone
    expect(told).toEqual(['one', 'two', { code: 0, signal: null, stderrTail: '' }])
  })

  it.runIf(process.platform === 'linux')(
    'does not wait for a command that outlives it and holds its pipes',
    async () => {
      const orphan = `require("child_process").spawn(process.execPath, ["-e", '${forEver}'], { stdio: "inherit", detached: true })`
      const { child, told } = program(`console.log(${orphan}.pid); process.exit(7)`)
      expect((await child.gone).code).toBe(7)
      const pid = Number(told[0])
      expect(isRunning(pid)).toBe(true)
      process.kill(pid, 'SIGKILL')
    },
  )

  it('is ended by SIGTERM, and by SIGKILL where it does not listen', async () => {
    const obedient = program(`console.log("up"); ${forEver}`)
    await obedient.line()
    await obedient.child.end()
    const stubborn = program(`process.on("SIGTERM", () => {}); console.log("up"); ${forEver}`, { graceMs: 50 })
    await stubborn.line()
    const ended = stubborn.child.end()
    expect([stubborn.child.isEnding, stubborn.child.isAlive]).toEqual([true, false])
    await ended
    const signals = await Promise.all([obedient, stubborn].map(async ({ child }) => (await child.gone).info.signal))
    expect(signals).toEqual(['SIGTERM', 'SIGKILL'])
  })

  it.runIf(process.platform === 'linux')('takes what it started with it where it is told to', async () => {
    const helper = `require("child_process").spawn(process.execPath, ["-e", '${forEver}'], { stdio: "ignore", detached: true })`
    const { child, told, line } = program(`console.log(${helper}.pid); ${forEver}`, { endsDescendants: true })
    await line()
    await child.end()
    expect(isRunning(Number(told[0]))).toBe(false)
  })

  it('that cannot be started says why, and counts as gone', async () => {
    const { child, told } = program('', { file: '/nowhere/program' })
    await expect(child.spawned).rejects.toMatchObject({ code: 'ENOENT' })
    expect(child.failure).toMatchObject({ code: 'ENOENT' })
    await child.end()
    expect(told).toEqual([{ code: null, signal: null, stderrTail: 'spawn /nowhere/program ENOENT\n' }])
  })
})
