import { script } from '@roundhouse/adapter-scripted'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { HostWorld } from '../../testing/host-world'
import { wholeMatrix } from '../../testing/variation'

let world: HostWorld
beforeEach(async () => {
  world = await HostWorld.create()
})
afterEach(() => world.dispose())

/** Goes on to its own end, whoever asks it to end sooner. */
const TEXTS = 40
const stubborn = script([
  { ignoreSigterm: true, text: 'Begun.' },
  { count: { to: TEXTS, delayMs: 20, prefix: 'late' } },
  { crash: 0 },
])
const all = ['Begun.', ...Array.from({ length: TEXTS }, (_, n) => `late ${n + 1}`)]
const texts = () => world.of('assistant_text').map(({ text }) => String(text).trim())

describe('[RES-2.4] [LOG-7] what a program prints between the order to end and its death', () => {
  it.each(wholeMatrix ? (['process.end', 'session.stop'] as const) : (['process.end'] as const))(
    'is in the log before its end, once and whole, after %s',
    async (kind) => {
      const host = await world.open()
      const turn = world.create({}, stubborn)
      await host.client.command(turn)
      await host.until(() => texts().includes('Begun.'))
      const end = world.command({ kind } as Parameters<HostWorld['command']>[0])
      await host.client.command(end)
      if (kind === 'process.end') expect(await host.result(end.commandId)).toEqual({ state: 'done' })
      await host.until(() => world.of('process_exited').length === 1)
      expect(texts()).toEqual(all)
      const kinds = world.kinds()
      expect(kinds.lastIndexOf('assistant_text')).toBeLessThan(kinds.indexOf('process_exited'))
      expect(world.of('turn_completed')).toMatchObject([{ reason: 'process_exited' }])
      const turns = world.of('assistant_text').map(({ turnId }) => turnId)
      expect(new Set(turns)).toEqual(new Set([world.of('turn_started')[0]?.turnId]))
    },
  )

  it('is in the log when its host is told to leave', async () => {
    const host = await world.open()
    await host.client.command(world.create({}, stubborn))
    await host.until(() => texts().includes('Begun.'))
    await host.client.stop('shutdown')
    await host.until(() => world.of('process_exited').length === 1)
    expect(texts()).toEqual(all)
  })
})
