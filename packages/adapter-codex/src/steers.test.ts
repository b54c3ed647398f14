/** Prompts for the running turn, against the small program of the edge. */
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { collect, type Recorder } from '@roundhouse/adapter-testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createCodexAdapter } from './adapter'

const fake = fileURLToPath(new URL('../fixtures/fake-app-server.mjs', import.meta.url))
let root = ''
let recorder: Recorder
let order: string[]
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'codex-steers-')))
  order = []
})
afterEach(async () => {
  await recorder.process.kill()
  await rm(root, { recursive: true, force: true })
})

async function runs(behaviour = ''): Promise<void> {
  const env = { PATH: process.env.PATH ?? '', HOME: root, FAKE_CODEX: behaviour }
  const adapter = createCodexAdapter({ env, binaryPath: fake, scratchDir: join(root, 'scratch') })
  recorder = collect(adapter, await adapter.spawn({ sessionId: 's', workDir: root }))
  const { process: backend } = recorder
  adapter.onOutput(backend, (output) => order.push(output.kind === 'assistant_text' ? output.text : output.kind))
  adapter.onTurnComplete?.(backend, ({ reason }) => order.push(reason ?? 'completed'))
  adapter.send(backend, 'hang')
}

const steer = (text: string) =>
  recorder.adapter.steer?.(recorder.process, text, undefined, () => order.push('begins')) ?? Promise.resolve(false)

describe('[CMD-5.27] a steer', () => {
  it.each([
    ['names', ''],
    ['does not name', 'anonymous'],
  ])('of a program that %s its prompts begins before its answer, also where both are read at once', async (_, how) => {
    await runs(how)
    expect([await steer('late'), order]).toEqual([true, ['begins', 'steered: late', 'completed']])
  })

  it('that Codex keeps for the next turn begins before the end of this one', async () => {
    await runs()
    const taken = steer('keep this')
    await recorder.adapter.interrupt?.(recorder.process)
    expect([await taken, order]).toEqual([true, ['begins', 'interrupted']])
  })

  it('of a program that ends before it answers is neither taken nor begun', async () => {
    await runs()
    const taken = steer('die')
    await expect(taken).rejects.toMatchObject({ code: 'BACKEND_CRASHED' })
    expect(order).toEqual([])
  })
})
