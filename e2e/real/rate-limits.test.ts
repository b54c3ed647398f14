/** A limit that is near, as the model service tells the real programs with an answer that it gives all the same. */
import { expect, it } from 'vitest'
import { until } from '../support/common/until'
import { missingReason, type RealBackend } from '../support/processes/backends'
import { startRig } from '../support/rigs/rig'
import { variationsUnless } from '../support/rigs/variation'
import { playedOn } from '../support/rigs/whole-matrix'
import { Resumed } from './resumed'

const missing = await missingReason('claude')
const resetsAt = Math.floor(Date.now() / 1_000) + 7_200
const services = {
  // It tells those of a subscription.
  claude: {
    agentEnv: { ANTHROPIC_API_KEY: '', CLAUDE_CODE_OAUTH_TOKEN: 'scripted-login' },
    headers: {
      'anthropic-ratelimit-unified-status': 'allowed_warning',
      'anthropic-ratelimit-unified-reset': String(resetsAt),
      'anthropic-ratelimit-unified-representative-claim': 'five_hour',
      'anthropic-ratelimit-unified-5h-status': 'allowed_warning',
      'anthropic-ratelimit-unified-5h-reset': String(resetsAt),
      'anthropic-ratelimit-unified-5h-utilization': '0.91',
      'anthropic-ratelimit-unified-5h-surpassed-threshold': '0.9',
    },
  },
  codex: {
    agentEnv: {},
    headers: {
      'x-codex-primary-used-percent': '91',
      'x-codex-primary-window-minutes': '300',
      'x-codex-primary-reset-at': String(resetsAt),
    },
  },
} satisfies Record<RealBackend, object>

variationsUnless(missing !== null)(`a limit that is near${missing === null ? '' : ` (${missing})`}`, () => {
  it.each(playedOn('codex'))('[LOG-4] [%s] is a line of the transcript', async (kind) => {
    const { agentEnv, headers } = services[kind]
    const rig = await startRig({ kind, agentEnv, envAllow: Object.keys(agentEnv) })
    try {
      const session = await Resumed.begin(rig, [{ text: 'Said.', headers }])
      const near = await until('the limit to be told', () =>
        session.of('system').find(({ subtype }) => subtype === 'rate_limit'),
      )
      expect(near.data).toEqual({ status: 'warning', limit: '5 hours', usedPercent: 91, resetsAt: resetsAt * 1_000 })
      await session.turns(1)
      expect([session.texts, session.of('turn_completed')[0]?.reason]).toEqual([['Said.'], 'completed'])
      await rig.agree(session.sessionId)
    } finally {
      await rig.dispose()
    }
  })
})
