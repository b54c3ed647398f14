/** Runs through Claude Code, Codex and OpenCode on one machine: streamed, final, stopped, and killed in the middle. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type RunEvent, RunView } from '@roundhouse/backend-types'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/common/until'
import { askingStep, missingReason, type Surroundings, surround } from '../support/processes/backends'
import { type Rig, scriptOf, startRig } from '../support/rigs/rig'
import { callerOf } from '../support/rigs/runs-of-rig'
import { variation } from '../support/rigs/variation'
import { wholeMatrix } from '../support/rigs/whole-matrix'
import { type RunCaller, readRun, textsOf } from '../support/wire/run-caller'

const kinds = ['claude', 'codex', 'opencode'] as const
type Kind = (typeof kinds)[number]
const missing = (await Promise.all(kinds.map(missingReason))).find((reason) => reason !== null)
/** OpenCode takes long to start where other programs start too. */
const PATIENCE_MS = 240_000

describe.skipIf(missing !== undefined)('a run', { timeout: PATIENCE_MS }, () => {
  let rig: Rig
  let caller: RunCaller
  let agentId = ''
  const around = {} as Record<Kind, Surroundings>
  beforeAll(async () => {
    for (const kind of kinds) around[kind] = await surround(kind)
    const env = Object.assign({}, ...kinds.map((kind) => around[kind].env)) as Record<string, string>
    rig = await startRig({ agentEnv: env })
    const all = Object.values(around)
    rig.system.agent.writePolicy({
      roots: all.map(({ workDir }) => workDir),
      envAllow: all.flatMap(({ envAllow }) => envAllow),
      backends: Object.fromEntries(kinds.map((kind) => [kind, { path: around[kind].path }])),
    })
    const has = async () => {
      const [agent] = (await rig.rest.agents()).items
      agentId = agent?.agentId ?? ''
      return kinds.every((kind) => agent?.manifest?.backends.some((one) => one.kind === kind && one.installed))
    }
    await until('the machine to tell of its programs', has, PATIENCE_MS)
    caller = await callerOf(rig)
  })
  afterAll(async () => {
    await rig.dispose()
    for (const one of Object.values(around)) await one.dispose()
  })

  const request = (backend: Kind, steps: readonly object[]) => ({
    agentId,
    backend,
    workDir: around[backend].workDir,
    prompt: scriptOf(steps),
  })
  /** A run that says something, asks for a command that appends to the file, and says something more. */
  async function asking(kind: Kind, name: string) {
    const file = path.join(around[kind].workDir, name)
    const step = askingStep(kind, `echo once >> ${file}`, 'Append to a file')
    const steps = [{ text: 'Before.', ...step }, { text: 'After.' }]
    const answer = await caller.send('POST', '/runs', request(kind, steps), { accept: 'application/x-ndjson' })
    expect(answer.status).toBe(200)
    const runId = answer.headers.get('location')?.split('/').at(-1) ?? ''
    const reading = readRun(answer)
    const ask = await rig.asked(runId)
    return { runId, reading, ask, file }
  }
  const ended = (runId: string) =>
    until('the end of its session', async () => (await caller.get(runId)).status.status === 'ended', PATIENCE_MS)
  const isOnce = (events: readonly RunEvent[]) => {
    expect(events.filter(({ type }) => type === 'done')).toHaveLength(1)
    expect(events.at(-1)?.type).toBe('done')
    expect(new Set(events.map(({ cursor }) => cursor)).size).toBe(events.length)
  }
  /** The cell of the matrix that `npm test` plays for this case is the one on that program. */
  const played = (one: Kind) => (wholeMatrix ? kinds : [one])

  // A denial ends the turn of OpenCode; the others go on with their text.
  variation.each(kinds)('[RUN-5.1] of %s that denies waits for nobody, and says what was denied', async (kind) => {
    const file = path.join(around[kind].workDir, 'denied')
    const steps = [{ text: 'Before.', ...askingStep(kind, `echo once >> ${file}`, 'Append') }, { text: 'After.' }]
    const answer = await caller.send('POST', '/runs', { ...request(kind, steps), onPermission: 'deny' })
    const { run } = RunView.parse(await answer.json()).result ?? {}
    expect(run?.permissionDenials).toHaveLength(1)
    expect(run?.text).toBe(kind === 'opencode' ? 'Before.' : 'Before.\n\nAfter.')
    expect(existsSync(file)).toBe(false)
  })

  // These run at the same time, each with a program of its own. The test that kills the hub comes after them.
  it.concurrent.each(kinds)(
    '[RUN-7.7] [RUN-3.1] [RUN-3.3] of %s is streamed, has its result, and ends its program',
    async (kind) => {
      const { runId, reading, ask, file } = await asking(kind, 'allowed')
      await rig.allow(ask)
      const events = await reading
      isOnce(events)
      expect(textsOf(events)).toEqual(['Before.', 'After.'])
      expect(events.map(({ type }) => type)).toEqual(['text', 'tool_use', 'tool_result', 'text', 'done'])
      const { result } = await caller.get(runId)
      expect(events.at(-1)).toMatchObject({ type: 'done', result: result?.run })
      const usage = { inputTokens: expect.any(Number), outputTokens: expect.any(Number) }
      expect(result?.run).toMatchObject({ text: 'Before.\n\nAfter.', aborted: false, usage })
      expect(result?.run.errorSubtype).toBeUndefined()
      expect(readFileSync(file, 'utf8')).toBe('once\n')
      await ended(runId)
    },
  )

  it.concurrent.each(played('codex'))(
    '[RUN-6.2] of %s whose host is killed in the middle ends with what had been said',
    async (kind) => {
      const { runId, reading, file } = await asking(kind, 'host-killed')
      process.kill(await until('its host', () => rig.system.agent.hostPid(runId)), 'SIGKILL')
      const all = await reading
      isOnce(all)
      expect(all.at(-1)).toMatchObject({
        result: { text: textsOf(all).join('\n\n'), errorSubtype: 'HOST_DIED', aborted: false },
      })
      // Claude Code may say a word more until its guard ends it.
      expect(kind === 'claude' ? textsOf(all).slice(0, 1) : textsOf(all)).toEqual(['Before.'])
      expect(await caller.rest(runId, undefined)).toEqual(all)
      expect(existsSync(file)).toBe(false)
      await ended(runId)
    },
  )

  it.concurrent.each(played('claude'))(
    '[RUN-1.4] of %s that is stopped says so, and what it asked for does not run',
    async (kind) => {
      const { runId, reading, file } = await asking(kind, 'stopped')
      expect((await caller.send('POST', `/runs/${runId}/stop`, {})).status).toBe(202)
      const all = await reading
      isOnce(all)
      expect(all.at(-1)).toMatchObject({ result: { text: 'Before.', errorSubtype: 'stopped', aborted: true } })
      expect(existsSync(file)).toBe(false)
      await ended(runId)
    },
  )

  it.each(played('claude'))(
    '[RUN-2.2] [RUN-6.1] of %s whose hub is killed in the middle tells the rest, once',
    async (kind) => {
      const { runId, reading, ask, file } = await asking(kind, 'hub-killed')
      await rig.system.hub.kill()
      const first = await reading
      await rig.system.hub.start()
      await until('the request', async () => (await rig.asked(runId)).requestId === ask.requestId)
      await rig.allow(ask)
      const all = [...first, ...(await caller.rest(runId, first.at(-1)?.cursor))]
      isOnce(all)
      expect(textsOf(all)).toEqual(['Before.', 'After.'])
      expect(await caller.rest(runId, undefined)).toEqual(all)
      expect((await caller.get(runId)).result?.run).toMatchObject({ text: 'Before.\n\nAfter.', aborted: false })
      expect(readFileSync(file, 'utf8')).toBe('once\n')
      await ended(runId)
    },
  )

  variation.each(kinds)(
    '[RUN-6.1] [RUN-6.2] of %s whose hub and host are killed together has one result',
    async (kind) => {
      const { runId, reading } = await asking(kind, 'both-killed')
      const host = await until('its host', () => rig.system.agent.hostPid(runId))
      await rig.system.hub.kill()
      process.kill(host, 'SIGKILL')
      const first = await reading
      await rig.system.hub.start()
      const all = [...first, ...(await caller.rest(runId, first.at(-1)?.cursor))]
      isOnce(all)
      expect((await caller.get(runId)).result?.run).toMatchObject({
        text: textsOf(all).join('\n\n'),
        errorSubtype: 'HOST_DIED',
      })
      // Claude Code may say a word more until its guard ends it.
      expect(textsOf(all)[0]).toBe('Before.')
      await ended(runId)
    },
  )
})
