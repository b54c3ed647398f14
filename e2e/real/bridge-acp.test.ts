/** The bridge on the real OpenCode: the order of an interrupt, the model of its own choice, and what was denied. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { missingReason, numbered } from '../support/processes/backends'
import { type BridgeClient, BridgeRig } from '../support/rigs/bridge-rig'
import { variationsUnless } from '../support/rigs/variation'

const missing = await missingReason('opencode')
const script = (steps: object[]) => `Please. SCRIPT: ${JSON.stringify(steps)}`

variationsUnless(missing !== null)(`the bridge on OpenCode${missing === null ? '' : ` (${missing})`}`, () => {
  let rig: BridgeRig
  let bridge: BridgeClient
  beforeAll(async () => {
    rig = await BridgeRig.start({ kind: 'opencode', args: ['--backend', 'opencode'] })
    bridge = rig.open()
  })
  afterAll(() => rig.dispose())

  it('answers an interrupt behind the result of its turn, and names what was denied in the result of the next', async () => {
    const slowly = [{ text: numbered(500), chunk: 12, delayMs: 40 }]
    const session = await bridge.create(rig.workDir, script(slowly), { include_partial_messages: true })
    const delta = (frame: object) => JSON.stringify(frame).includes('content_block_delta')
    await bridge.wait('live text', () => session.frames.some(delta))
    const interrupted = await session.interrupt()
    const [result] = session.results()
    expect(interrupted).toMatchObject({ type: 'session.interrupted' })
    expect(result).toMatchObject({ is_error: true, errors: ['The turn was interrupted.'] })

    expect(await session.query('setModel', 'scripted/other-model')).toEqual({ success: true, result: null })
    expect(await session.query('setModel')).toEqual({ success: true, result: null })
    session.prompt(script([{ tool: 'bash', input: { command: 'echo a > a.txt', description: 'Write' } }]))
    session.reply(await session.asked(), { behavior: 'deny', message: 'No.' })
    expect(await session.turns(2)).toMatchObject({
      permission_denials: [{ tool_name: 'bash', tool_input: { command: 'echo a > a.txt' } }],
    })
    expect(rig.surroundings.asked().at(-1)).toMatchObject({ model: 'scripted-model' })
    expect(existsSync(path.join(rig.workDir, 'a.txt'))).toBe(false)
    await session.kill()
  })
})
