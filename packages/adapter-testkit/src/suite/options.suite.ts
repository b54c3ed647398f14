/** No field of the spawn options is dropped silently, and nothing of our own environment slips through. */
import type { SpawnOptions } from '@roundhouse/backend-types'
import { expect } from 'vitest'
import type { FieldRule } from '../rig/harness'
import { allowAll } from '../rig/recorder'
import type { Kit } from './kit'
import { queryRules } from './queries.suite'
import { standardFields } from './standard-fields'

const LEAK = 'ROUNDHOUSE_TEST_LEAK'

export function optionRules(kit: Kit): void {
  const { rule, prompts, harness } = kit

  for (const [field, fieldRule] of Object.entries(harness.fields) as Array<[keyof SpawnOptions, FieldRule]>) {
    fieldCheck(kit, field, fieldRule)
  }

  rule('nothing of our own environment reaches the program', async () => {
    process.env[LEAK] = 'leaked-value'
    try {
      const prompt = prompts.printEnv(LEAK)
      const turn = await (await kit.startOwn(prompt.spawn)).turn(prompt.text, allowAll)
      expect(turn.outputs.filter(({ kind }) => kind === 'tool_result')).toHaveLength(1)
      expect(JSON.stringify(turn.outputs.filter(({ kind }) => kind === 'tool_result'))).not.toContain('leaked-value')
    } finally {
      delete process.env[LEAK]
    }
  })

  rule('[RES-7] another model takes effect on a running process, or is said to need a restart', async () => {
    const recorder = await kit.startOwn()
    const { adapter, process } = recorder
    if (!adapter.configure) throw new Error(`${adapter.type} cannot be configured`)
    await recorder.turn(prompts.text('Before.').text)
    const needRestart = await adapter.configure(process, { model: harness.otherModel.code })
    await recorder.turn(prompts.text('After.').text)
    const { model } = await (await kit.bench()).modelView()
    expect(model === harness.otherModel.seenAs).toBe(!needRestart.includes('model'))
  })

  queryRules(kit)
}

function fieldCheck(kit: Kit, field: keyof SpawnOptions, fieldRule: FieldRule): void {
  const { rule } = kit
  switch (fieldRule.kind) {
    case 'standard': {
      const standard = standardFields[field]
      if (!standard) throw new Error(`there is no standard check of ${field}: describe its effect in the harness`)
      rule(`SpawnOptions.${field} ${standard.title}`, () => standard.check(kit))
      break
    }
    case 'effect':
      rule(`SpawnOptions.${field} ${fieldRule.title}`, async () => fieldRule.check(await kit.fieldKit()))
      break
    case 'unsupported':
      rule(`SpawnOptions.${field} is refused as UNSUPPORTED`, async () => {
        expect(await kit.refusal(fieldRule.value)).toMatchObject({ code: 'UNSUPPORTED' })
      })
      break
    case 'host':
      break
  }
}
