/**
 * Commands that write to one file, all asked at once and allowed one after the other: what one of them wrote takes nothing
 * from what was said to the next. What a command reads or runs is still what was shown.
 */
import { mkdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventsOf, logOf } from '../support/accounts/ledger'
import { until } from '../support/common/until'
import { type Rig, startRig } from '../support/rigs/rig'
import { wholeMatrix } from '../support/rigs/whole-matrix'

const COMMANDS = Number(process.env.ROUNDHOUSE_COMMANDS ?? (wholeMatrix ? 20 : 6))

let rig: Rig
let root: string
let begun: string | undefined
beforeAll(async () => {
  rig = await startRig()
  root = realpathSync(rig.system.workDir)
})
afterAll(async () => {
  await rig.dispose()
})

const inRoot = (name: string) => path.join(root, name)
const call = (command: string) => ({ name: 'Bash', input: { command }, ask: true })

const resolvedOf = (sessionId: string) =>
  eventsOf(logOf(rig.system.agent.sessionFolder(sessionId))).filter(({ kind }) => kind === 'permission_resolved')

/** A turn that has asked about all of these at once, in the session of the turn before if that is over. */
async function asked(commands: readonly string[]) {
  const steps = [{ tools: commands.map(call) }, { text: 'Done.' }]
  const isFree = begun !== undefined && (await rig.rest.snapshot(begun)).session.turnId === undefined
  const sessionId = begun !== undefined && isFree ? begun : await rig.begin(steps)
  const before = sessionId === begun ? resolvedOf(sessionId).length : 0
  if (sessionId === begun) await rig.prompt(sessionId, steps)
  begun = sessionId
  const asks = await until('all questions', async () => {
    const { requests } = (await rig.rest.snapshot(sessionId)).session
    const open = requests.filter(({ decision, outcome }) => !decision && outcome === 'open')
    return open.length === commands.length && open.map(({ ask }) => ask)
  })
  return { sessionId, asks, before }
}

/** Allows whatever is asked until the turn is over, and says what became of each request. */
async function allowAll({ sessionId, before }: { sessionId: string; before: number }) {
  const said = new Set<string>()
  const resolved = () => resolvedOf(sessionId).slice(before)
  await until('the end of the turn', async () => {
    const { requests, turnId } = (await rig.rest.snapshot(sessionId)).session
    for (const { ask, decision, outcome } of requests) {
      if (decision || outcome !== 'open' || said.has(ask.requestId)) continue
      said.add(ask.requestId)
      await rig.allow(ask).catch(() => {})
    }
    return turnId === undefined && resolved().length > 0
  })
  await rig.agree(sessionId)
  return resolved()
}

const outcomes = (events: Awaited<ReturnType<typeof allowAll>>) =>
  events.map((event) => ('outcome' in event ? event.outcome : ''))

describe('commands that write to one file', () => {
  it.each([
    ['append', (n: number) => `echo ${n} >> notes.txt`],
    ['append quoted texts', (n: number) => `printf '%s\\n' "it's ${n}" >> notes.txt && date >> notes.txt`],
    ['append in a shell', (n: number) => `bash -lc 'date >> notes.txt; echo ${n} >> notes.txt'`],
    ['write', (n: number) => `echo ${n} >written.txt`],
  ])('[PERM-8.10] and only %s are each asked once', async (_what, command) => {
    for (const name of ['notes.txt', 'written.txt']) writeFileSync(inRoot(name), 'begin\n')
    const turn = await asked(Array.from({ length: COMMANDS }, (_, n) => command(n)))
    expect(outcomes(await allowAll(turn))).toEqual(Array(COMMANDS).fill('applied'))
  })

  it('[PERM-8.18] [PERM-8.19] and show what they wrote are each asked once, and the log says that the file had changed', async () => {
    writeFileSync(inRoot('shown.txt'), 'begin\n')
    const turn = await asked(Array.from({ length: 5 }, (_, n) => `echo ${n} >> shown.txt; tail -n 1 shown.txt`))
    const resolved = await allowAll(turn)
    expect(outcomes(resolved)).toEqual(Array(5).fill('applied'))
    expect(
      resolved.filter((event) => 'changedFiles' in event && event.changedFiles?.[0] === inRoot('shown.txt')),
    ).toHaveLength(4)
    expect(readFileSync(inRoot('shown.txt'), 'utf8').split('\n')).toHaveLength(7)
  })

  it.each([
    'echo true >> run.sh; sh run.sh',
    'echo true >> run.sh; cat run.sh | sh',
    'cat < run.sh > copy.sh; sh copy.sh',
    'echo true >> run.sh; sh *.sh',
    'echo true >> run.sh; for one in run* copy*; do . ./"$one"; done',
    'find . -name "run*" -exec sh {} + >> run.sh',
    'echo true >> run.sh; cat run* | tail -n 1',
    "bash -c 'sh /dev/fd/199 199>>run.sh'",
    "bash -c 'sh /proc/thread-self/fd/199 199>>run.sh'",
    'sh <\\\n>run.sh',
    "bash -c 'printf -v BASH_CMDS[cat] ./run.sh; echo >> run.sh; cat'",
    'echo a >> run.sh; cat run.sh >&2.sh',
    'echo a >> run.sh; cat5> run.sh',
    'sh ./run\u00a0me.sh a',
    'sh ./run\vme.sh a',
  ])('[A26] [PERM-8.20] but run or read something are asked again when that has changed: %s', async (command) => {
    const names = ['run.sh', 'copy.sh', 'run\u00a0me.sh', 'run\vme.sh']
    for (const name of names) writeFileSync(inRoot(name), 'true\n')
    const turn = await asked([command])
    for (const name of names) writeFileSync(inRoot(name), 'touch harm\n')
    expect(turn.asks).toHaveLength(1)
    expect(outcomes(await allowAll(turn))).toEqual(['superseded', 'applied'])
  })

  it('[A25] [PERM-8.11] are asked again when the name leads elsewhere by now', async () => {
    writeFileSync(inRoot('turned.txt'), '')
    const turn = await asked(['echo x >> turned.txt'])
    mkdirSync(inRoot('other'), { recursive: true })
    rmSync(inRoot('turned.txt'))
    symlinkSync(inRoot('other/file.txt'), inRoot('turned.txt'))
    expect(outcomes(await allowAll(turn))).toEqual(['superseded', 'applied'])
  })

  it("[A25] [POL-1] are refused when the name leads to what is the agent's own", async () => {
    writeFileSync(inRoot('own.txt'), '')
    const turn = await asked(['echo x >> own.txt'])
    rmSync(inRoot('own.txt'))
    symlinkSync(path.join(rig.system.agent.home, 'config/policy.json'), inRoot('own.txt'))
    const before = readFileSync(path.join(rig.system.agent.home, 'config/policy.json'), 'utf8')
    expect(outcomes(await allowAll(turn)).at(-1)).toBe('refused')
    expect(readFileSync(path.join(rig.system.agent.home, 'config/policy.json'), 'utf8')).toBe(before)
  })
})
