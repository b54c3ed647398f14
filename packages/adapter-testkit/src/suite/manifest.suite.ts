/** The manifest tells the truth, again and again, also where there is nothing to tell about. */
import { BackendManifestEntry } from '@roundhouse/backend-types'
import { expect } from 'vitest'
import type { Kit } from './kit'

export function manifestRules(kit: Kit): void {
  const { rule, harness } = kit

  rule('the manifest names kind, version, choices and capabilities, and is the same when asked again', async () => {
    const { adapter } = await kit.bench()
    const manifest = await adapter.getManifest()
    expect(BackendManifestEntry.parse(manifest)).toEqual(manifest)
    const { capabilities, accepted } = adapter
    expect(manifest).toMatchObject({ kind: harness.type, installed: true, capabilities, accepted })
    expect(manifest.version).toMatch(/\d/)
    expect(await adapter.getManifest()).toEqual(manifest)
  })

  rule('of each list of choices at most one is the default, and no code stands twice', async () => {
    const { models, modes, thinkingOptions = [] } = await (await kit.bench()).adapter.getManifest()
    for (const choices of [models, modes, thinkingOptions]) {
      expect(choices.filter((choice) => choice.default).length).toBeLessThanOrEqual(1)
      expect(new Set(choices.map(({ code }) => code)).size).toBe(choices.length)
    }
  })

  rule('a missing program is a manifest with the reason, and a spawn that says BACKEND_UNAVAILABLE', async () => {
    const adapter = await harness.createWithoutProgram()
    const manifest = await adapter.getManifest()
    expect(manifest).toMatchObject({
      kind: harness.type,
      installed: false,
      unavailableReason: expect.stringMatching(/./),
    })
    expect(await adapter.getManifest()).toEqual(manifest)
    expect(await kit.refusal({}, adapter)).toMatchObject({ code: 'BACKEND_UNAVAILABLE' })
  })
}
