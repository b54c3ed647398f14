/** Each query that an adapter declares is answered, and each other one is refused with its name. */
import { queryMethods, queryParams } from '@roundhouse/backend-types'
import { expect } from 'vitest'
import type { Kit } from './kit'

export function queryRules(kit: Kit): void {
  const { rule, harness, prompts } = kit

  rule('[CMD-11.1] the queries that it declares are answered', async () => {
    const recorder = await kit.start()
    const { adapter, process } = recorder
    await recorder.turn(prompts.text('Hello.').text)
    const asked = new Set(adapter.capabilities.queries)
    const ask = (method: string, ...args: unknown[]) => adapter.query?.(process, method, queryParams(method, args))
    for (const method of ['supportedModels', 'supportedCommands', 'mcpServerStatus'].filter((one) => asked.has(one))) {
      expect([method, await ask(method)]).toEqual([method, expect.any(Array)])
    }
    if (asked.has('accountInfo')) expect(await ask('accountInfo')).toEqual(expect.any(Object))
    if (asked.has('setModel')) {
      expect(await ask('setModel', harness.otherModel.code)).toBeNull()
      await recorder.turn(prompts.text('Another.').text)
      expect((await (await kit.bench()).modelView()).model).toBe(harness.otherModel.seenAs)
    }
    if (asked.has('setPermissionMode')) {
      const { modes } = await adapter.getManifest()
      expect(await ask('setPermissionMode', modes.at(-1)?.code)).toBeNull()
      await expect(ask('setPermissionMode')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    }
    if (asked.has('setMaxThinkingTokens')) {
      expect(await ask('setMaxThinkingTokens', 2_048)).toBeNull()
      await expect(ask('setMaxThinkingTokens', -1)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    }
  })

  rule('[CMD-11.2] every other query is refused as UNSUPPORTED, with its name', async () => {
    const { adapter, process } = await kit.start()
    const asked = new Set(adapter.capabilities.queries)
    for (const method of [...queryMethods, 'formatDisk'].filter((one) => !asked.has(one))) {
      const refused = { code: 'UNSUPPORTED', details: { method } }
      await expect(adapter.query?.(process, method, {})).rejects.toMatchObject(refused)
    }
    if (asked.has('setMaxThinkingTokens')) return
    expect(await kit.refusal({ maxThinkingTokens: 2_048 })).toMatchObject({ code: 'UNSUPPORTED' })
  })
}
