import { isBackendKind } from '@roundhouse/backend-types'
import { expect, it } from 'vitest'
import { adapters } from './adapters'

it('each adapter is called in the table as it calls itself, and no two by one kind', async () => {
  expect(new Set(adapters.map(({ kind }) => kind)).size).toBe(adapters.length)
  for (const { kind, label, load } of adapters) {
    const adapter = await load({ env: {}, scratchDir: '/nowhere' }, '/nowhere/player.js')
    expect(isBackendKind(kind)).toBe(true)
    expect(adapter).toMatchObject({ type: kind, capabilities: { humanLabel: label } })
    expect(await adapter.getManifest()).toMatchObject({ kind, label, installed: false })
  }
})
