/** A machine whose agent starts again asks its programs anew, which takes a while where one of them is slow. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { AgentView } from '@roundhouse/backend-types'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { until } from '../support/common/until'
import { type Rig, startRig } from '../support/rigs/rig'

let rig: Rig
beforeAll(async () => {
  rig = await startRig()
  const { agent } = rig.system
  const policy = JSON.parse(readFileSync(path.join(agent.home, 'config/policy.json'), 'utf8'))
  const late = { argv: ['/bin/sh', '-c', 'sleep 1.5; exit 1'], profile: 'generic', label: 'Late' }
  agent.writePolicy({ ...policy, programs: { late } })
})
afterAll(() => rig.dispose())

/** With the programs that are installed. */
const kindsOf = (machine?: AgentView) =>
  (machine?.manifest?.backends ?? [])
    .filter(({ installed }) => installed)
    .map(({ kind }) => kind)
    .join(' ')

it('[LINK-2.8] has the programs that it named before from its first moment on, whenever somebody looks', async () => {
  const { agent } = rig.system
  const machine = async () => (await rig.rest.agents()).items[0]
  await until('the machine to name its program', async () =>
    (await machine())?.manifest?.backends.some(({ kind }) => kind === 'late'),
  )
  const named = await machine()
  const before = named?.manifest?.generatedAt
  await agent.kill()
  await until('the machine to be away', async () => (await machine())?.online === false)

  agent.launch()
  const seen: string[] = []
  await until('the machine to have asked its programs', async () => {
    const now = await machine()
    if (!now?.online) return false
    seen.push(kindsOf(now))
    return now.manifest?.generatedAt !== before
  })

  expect(new Set(seen)).toEqual(new Set([kindsOf(named)]))
})
