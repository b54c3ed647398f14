/** A question on the real programs: the answer reaches the model as its own terminal would send it. */
import { appendFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/common/until'
import { missingReason } from '../support/processes/backends'
import { type Rig, startRig } from '../support/rigs/rig'
import { variationsUnless } from '../support/rigs/variation'
import { askedWith, Resumed } from './resumed'

const missing = await missingReason('claude')

describe.skipIf(missing !== null)(`[claude] a question${missing === null ? '' : ` (${missing})`}`, () => {
  let rig: Rig
  beforeAll(async () => {
    rig = await startRig({ kind: 'claude' })
  })
  afterAll(() => rig.dispose())

  const questions = [
    {
      question: 'Which layout?',
      header: 'Layout',
      multiSelect: false,
      options: [
        { label: 'Wide', description: 'One column', preview: '+--the wide one--+' },
        { label: 'Narrow', description: 'Two columns', preview: '+--the narrow one--+' },
      ],
    },
    {
      question: 'Which toppings?',
      header: 'Toppings',
      multiSelect: true,
      options: [
        { label: 'Nuts', description: 'Hard' },
        { label: 'Fruit', description: 'Soft' },
      ],
    },
  ]

  it('[PERM-2.12] shows its previews, and the model reads the answers with the preview that was chosen', async () => {
    const session = await Resumed.begin(rig, [{ tool: 'AskUserQuestion', input: { questions } }, { text: 'Thanks.' }])
    const ask = await until('a question', async () => {
      const { requests } = await session.session()
      return requests.find((one) => one.outcome === 'open')?.ask
    })
    expect(ask.form?.fields[0]).toMatchObject({
      options: [{ label: 'Wide', preview: { text: '+--the wide one--+' } }, { label: 'Narrow' }],
    })
    const answers = { 'Which layout?': 'Narrow', 'Which toppings?': ['Nuts', 'Fruit'] }
    await rig.rest.decide(ask.requestId, { digest: ask.digest, decision: 'allow', answers })
    await session.turns(1)
    for (const said of [
      '\\"Which layout?\\"=\\"Narrow\\" selected preview:\\n+--the narrow one--+',
      '\\"Which toppings?\\"=\\"Nuts, Fruit\\"',
    ])
      await until('the model to be told', () => askedWith(rig, said).length > 0)
  })
})

variationsUnless(missing !== null)(`[codex] a question${missing === null ? '' : ` (${missing})`}`, () => {
  let rig: Rig
  beforeAll(async () => {
    rig = await startRig({ kind: 'codex' })
    // Outside of its plan mode the model may ask only where the owner's configuration says so.
    const config = path.join(rig.system.around.env.CODEX_HOME ?? '', 'config.toml')
    appendFileSync(config, '\n[features]\ndefault_mode_request_user_input = true\n')
  })
  afterAll(() => rig.dispose())

  const questionOf = (id: string) => ({
    id,
    header: 'Colour',
    question: `Which ${id}?`,
    options: [
      { label: 'Red', description: 'warm' },
      { label: 'Blue', description: 'cold' },
    ],
  })

  it('[PERM-2] takes an option and own words, and the model reads both as from the program’s terminal', async () => {
    const questions = [questionOf('door'), questionOf('roof')]
    const session = await Resumed.begin(rig, [
      { tool: 'request_user_input', input: { questions } },
      { text: 'Thanks.' },
    ])
    const ask = await rig.asked(session.sessionId)
    expect(ask.form?.fields).toMatchObject([
      { kind: 'choice', name: 'door', label: 'Which door?', ownAnswer: true },
      { kind: 'choice', name: 'roof', options: [{ label: 'Red' }, { label: 'Blue' }] },
    ])
    const answers = { door: 'Blue', roof: 'Green' }
    await rig.rest.decide(ask.requestId, { digest: ask.digest, decision: 'allow', answers })
    await session.turns(1)
    const told = askedWith(rig, 'user_note').at(-1)?.replaceAll('\\', '')
    expect(told).toContain('"door":{"answers":["Blue"]}')
    expect(told).toContain('"roof":{"answers":["None of the above","user_note: Green"]}')
    expect(session.texts).toEqual(['Thanks.'])
    await rig.agree(session.sessionId)
  })
})
