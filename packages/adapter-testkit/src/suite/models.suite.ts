/** A model that does not exist has one code, which names it, wherever that is found out. */
import { expect } from 'vitest'
import type { Recorder } from '../rig/recorder'
import type { Kit } from './kit'

export function modelRules(kit: Kit): void {
  const { rule, prompts, harness } = kit
  const { otherModel, missingModel } = harness
  if (missingModel === undefined) return
  const unavailable = { code: 'MODEL_UNAVAILABLE', message: expect.stringContaining(missingModel) }

  rule(
    '[CAP-4.6] a change to a model that does not exist is refused, or fails a turn, and the process goes on',
    async () => {
      const recorder = await kit.start()
      const { adapter, process } = recorder
      await recorder.turn(prompts.text('Before.').text)
      const change =
        adapter.configure?.(process, { model: missingModel }) ?? Promise.reject(new Error('it has no models'))
      expect(
        await change.then(
          () => failureOf(recorder),
          (error: unknown) => error,
        ),
      ).toMatchObject(unavailable)
      await adapter.configure?.(process, { model: otherModel.code })
      expect((await recorder.turn(prompts.text('After.').text)).text).toBe('After.')
      expect((await (await kit.bench()).modelView()).model).toBe(otherModel.seenAs)
    },
  )

  rule('[CAP-4.6] so does a start with it', async () => {
    const starting = kit.startOwn({ model: missingModel })
    expect(await starting.then(failureOf, (error: unknown) => error)).toMatchObject(unavailable)
  })

  async function failureOf(recorder: Recorder) {
    const { info } = await recorder.turn(prompts.text('Never.').text)
    expect(info.reason).toBe('failed')
    return info.error
  }
}
