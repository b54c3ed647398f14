import { expect, it } from 'vitest'
import { withUpdates } from './own-rules'

const rules = { allow: ['ls'], ask: [] }

it('rules that a caller adds hold for the commands after it', () => {
  const added = [
    {
      type: 'addRules',
      behavior: 'allow',
      rules: [{ toolName: 'Bash', ruleContent: 'npm test:*' }, { toolName: 'Read' }],
    },
    { type: 'addRules', behavior: 'ask', rules: [{ toolName: 'Bash' }] },
    { type: 'addRules', behavior: 'deny', rules: [{ toolName: 'Bash' }] },
    { type: 'setMode', mode: 'plan' },
    null,
  ]
  expect(withUpdates(rules, added)).toEqual({ allow: ['ls', 'npm test:*'], ask: ['*'] })
})
