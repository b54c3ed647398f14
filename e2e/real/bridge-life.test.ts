/** How sessions of the bridge end and go on, on the real Claude Code: no process outlives its client, and no option is lost. */
import { existsSync, rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { until } from '../support/common/until'
import { missingReason } from '../support/processes/backends'
import { processesOf } from '../support/processes/processes'
import { type BridgeClient, BridgeRig } from '../support/rigs/bridge-rig'
import { dialogueOf } from '../support/rigs/dialogue'
import { variation } from '../support/rigs/variation'

const missing = await missingReason('claude')
const script = (steps: object[], text = 'Please.') => `${text} SCRIPT: ${JSON.stringify(steps)}`
const bash = (command: string) => ({ tool: 'Bash', input: { command } })

describe.skipIf(missing !== null)(`a session of the bridge${missing === null ? '' : ` (${missing})`}`, () => {
  let rig: BridgeRig
  let bridge: BridgeClient
  beforeAll(async () => {
    rig = await BridgeRig.start()
  })
  beforeEach(() => {
    rmSync(path.join(rig.workDir, 'on'), { force: true })
    bridge = rig.open()
  })
  afterEach(() => bridge.end())
  afterAll(() => rig.dispose())

  const recorded = (name: string) =>
    expect(dialogueOf(bridge.said, rig.workDir)).toMatchFileSnapshot(`dialogues/${name}.txt`)
  const program = (sessionId: string) => {
    const found = processesOf(sessionId).find(({ command }) => command.includes('--input-format=stream-json'))
    if (!found) throw new Error('the program is not running')
    return found
  }
  /** A command that runs until it is ended, in a process session of its own. */
  const sleeps = async (session: Awaited<ReturnType<BridgeClient['create']>>) => {
    session.reply(await session.asked(), { behavior: 'allow' })
    await until('the command to run', () => existsSync(path.join(rig.workDir, 'on')))
  }
  const sleeping = script([bash('echo on > on; sleep 600'), { text: 'Never said.' }])

  it('[RES-2] goes on after its program was killed, with all its options', async () => {
    const options = {
      model: 'haiku',
      permission_mode: 'acceptEdits',
      disallowed_tools: ['WebSearch'],
      system_prompt: { type: 'preset', preset: 'claude_code', append: 'KEEP-ME' },
      max_turns: 7,
      hooks: { Stop: [{}] },
    }
    const session = await bridge.create(rig.workDir, script([{ text: 'First.' }], 'Remember pear.'), options)
    session.reply(await session.asked(1, 'hook'), {})
    await session.turns(1)
    process.kill(program(session.id).pid, 'SIGKILL')
    const error = await bridge.wait('the error', ({ type }) => type === 'error')
    expect(error).toMatchObject({
      session_id: session.id,
      payload: { code: 'SDK_ERROR', message: 'Claude Code ended by SIGKILL.' },
    })
    session.prompt(script([{ text: 'Second.' }]))
    session.reply(await session.asked(2, 'hook'), {})
    expect(await session.turns(2)).toMatchObject({ result: 'Second.' })
    const [first, second] = session.frames.filter(({ subtype }) => subtype === 'init')
    expect(second).toMatchObject({ session_id: first?.session_id, model: first?.model, permissionMode: 'acceptEdits' })
    expect(first?.model).toMatch(/haiku/)
    expect(second?.tools).not.toContain('WebSearch')
    const asked = JSON.stringify(rig.surroundings.asked().at(-1))
    expect(asked).toContain('KEEP-ME')
    expect(asked).toContain('Remember pear.')
    expect(program(session.id).command).toContain('--max-turns=7')
    await session.kill()
    await recorded('resume')
  })

  variation('keeps what a query has changed as well', async () => {
    const session = await bridge.create(rig.workDir, script([{ text: 'First.' }]))
    await session.turns(1)
    expect(await session.query('setModel', 'haiku')).toEqual({ success: true, result: null })
    expect(await session.query('setPermissionMode', 'plan')).toEqual({ success: true, result: null })
    process.kill(program(session.id).pid, 'SIGKILL')
    await bridge.wait('the error', ({ type }) => type === 'error')
    session.prompt(script([{ text: 'Second.' }]))
    await session.turns(2)
    const init = session.frames.filter(({ subtype }) => subtype === 'init').at(-1)
    expect(init).toMatchObject({ model: expect.stringMatching(/haiku/), permissionMode: 'plan' })
  })

  it('that is killed settles the question that is open, and nothing of it is left', async () => {
    const session = await bridge.create(rig.workDir, script([bash('touch never.txt'), { text: 'Never said.' }]))
    const asked = await session.asked()
    expect(await session.kill()).toMatchObject({ type: 'session.killed', session_id: session.id, payload: {} })
    expect([processesOf(session.id), rig.folders(), existsSync(path.join(rig.workDir, 'never.txt'))]).toEqual([
      [],
      [],
      false,
    ])
    session.reply(asked, { behavior: 'allow' })
    expect(await bridge.wait('the error', ({ type }) => type === 'error')).toMatchObject({
      id: asked.id,
      session_id: session.id,
      payload: { code: 'SESSION_NOT_FOUND' },
    })
    await recorded('kill')
  })

  variation('[RES-6] that is killed takes along a command that its program runs', async () => {
    const session = await bridge.create(rig.workDir, sleeping)
    await sleeps(session)
    await session.kill()
    expect(processesOf(session.id)).toEqual([])
  })

  const ends: Array<readonly [string, () => void]> = [
    ['the end of stdin', () => bridge.closeStdin()],
    ['SIGTERM', () => bridge.kill('SIGTERM')],
    ['SIGINT', () => bridge.kill('SIGINT')],
  ]
  variation.each(ends)('[RES-6] by %s every session ends, and no process is left', async (_what, end) => {
    const busy = await bridge.create(rig.workDir, sleeping)
    await sleeps(busy)
    const asking = await bridge.create(rig.workDir, script([bash('touch x.txt'), { text: 'Never said.' }]))
    await asking.asked()
    // One whose program is still being started.
    bridge.send({ type: 'session.create', payload: { prompt: 'hi', cwd: rig.workDir } })
    end()
    expect(await bridge.exited).toBe(0)
    expect([rig.processes([busy.id, asking.id]), rig.folders()]).toEqual([[], []])
  })

  variation(
    '[RES-6] by SIGKILL the guards end every session, and the next bridge takes away what is left',
    async () => {
      const session = await bridge.create(rig.workDir, sleeping)
      await sleeps(session)
      bridge.kill('SIGKILL')
      await bridge.exited
      await until('no process to be left', () => processesOf(session.id).length === 0)
      expect(rig.folders()).toEqual([session.id])
      const next = rig.open()
      await until('the folder to go', () => rig.folders().length === 0)
      next.closeStdin()
      expect(await next.exited).toBe(0)
    },
  )

  variation('[FLOW-2] whose client does not read ends all the same', async () => {
    const session = await bridge.create(rig.workDir, script([{ text: 'First.' }]))
    await session.turns(1)
    bridge.stopReading()
    const before = rig.surroundings.asked().length
    session.prompt(script([{ text: 'x'.repeat(400_000) }]))
    await until('the model to be asked', () => rig.surroundings.asked().length > before)
    bridge.kill('SIGTERM')
    expect(await bridge.exited).toBe(0)
    expect(rig.processes([session.id])).toEqual([])
  })
})
