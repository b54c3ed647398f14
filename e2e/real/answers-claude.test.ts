/** A question on the real program: the answer reaches the model as its own terminal would send it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { missingReason } from '../support/backends'
import { type Rig, startRig } from '../support/rig'
import { until } from '../support/until'
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

  it('[PERM-2] shows its previews, and the model reads the answers with the preview that was chosen', async () => {
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
      expect(askedWith(rig, said)).not.toHaveLength(0)
  })
})
