/** The bridge on the real Codex: Claude's frames from a program that has a language of its own. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { until } from '../support/common/until'
import { missingReason } from '../support/processes/backends'
import { processesOf } from '../support/processes/processes'
import { type BridgeClient, BridgeRig } from '../support/rigs/bridge-rig'
import { variationsUnless } from '../support/rigs/variation'

const missing = await missingReason('codex')
const script = (steps: object[], text = 'Please.') => `${text} SCRIPT: ${JSON.stringify(steps)}`
const shell = (cmd: string) => ({
  tool: 'exec_command',
  input: { cmd, sandbox_permissions: 'require_escalated', justification: 'It must.' },
})

variationsUnless(missing !== null)(`the bridge on Codex${missing === null ? '' : ` (${missing})`}`, () => {
  let rig: BridgeRig
  let bridge: BridgeClient
  beforeAll(async () => {
    rig = await BridgeRig.start({ kind: 'codex', args: ['--backend', 'codex'] })
    bridge = rig.open()
  })
  afterAll(() => rig.dispose())

  it('asks the client, runs what it allows, and says all of it in Claude’s frames', async () => {
    const steps = [shell('echo one > one.txt'), shell('echo two > two.txt'), { text: 'Done.' }]
    const session = await bridge.create(rig.workDir, script(steps), { include_partial_messages: true })
    const first = await session.asked(1)
    expect(JSON.stringify(first.payload)).toContain('echo one > one.txt')
    session.reply(first, { behavior: 'allow' })
    session.reply(await session.asked(2), { behavior: 'deny', message: 'No.' })
    expect(await session.turns(1)).toMatchObject({
      type: 'result',
      subtype: 'success',
      is_error: false,
      result: 'Done.',
    })
    expect(readFileSync(path.join(rig.workDir, 'one.txt'), 'utf8')).toBe('one\n')
    expect(() => readFileSync(path.join(rig.workDir, 'two.txt'))).toThrow()
    const told = session.frames.map(({ type }) => type).filter((type) => type === 'assistant' || type === 'user')
    expect(told).toEqual(['assistant', 'user', 'assistant', 'user', 'assistant'])
    expect(session.frames[0]).toMatchObject({ type: 'system', subtype: 'init', cwd: rig.workDir, backend: 'codex' })
    await session.kill()
  })

  it('[RES-2] goes on after its program was killed, where it was', async () => {
    const session = await bridge.create(rig.workDir, script([{ text: 'First.' }], 'Remember pear.'))
    await session.turns(1)
    const programs = processesOf(session.id).filter(({ command }) => command.includes('app-server'))
    for (const { pid } of programs) process.kill(pid, 'SIGKILL')
    const error = await bridge.wait('the error', (reply) => reply.type === 'error' && reply.session_id === session.id)
    expect(error).toMatchObject({ payload: { code: 'SDK_ERROR' } })
    session.prompt(script([{ text: 'Second.' }]))
    expect(await session.turns(2)).toMatchObject({ result: 'Second.' })
    expect(JSON.stringify(rig.surroundings.asked().at(-1))).toContain('Remember pear.')
    await session.kill()
    await until('no process to be left', () => processesOf(session.id).length === 0)
  })

  it('refuses what Codex has no option for', async () => {
    const id = bridge.send({
      type: 'session.create',
      payload: { prompt: 'hi', cwd: rig.workDir, options: { allowed_tools: ['Read'] } },
    })
    expect(await bridge.answer(id)).toMatchObject({
      payload: { code: 'SESSION_CREATE_FAILED', details: { code: 'UNSUPPORTED', field: 'allowedTools' } },
    })
  })
})
