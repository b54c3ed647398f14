import { describe, expect, it } from 'vitest'
import { ownCommand } from './own-command'

describe('the command in a refusal', () => {
  it.each([
    [['/usr/bin/node', '/usr/local/bin/roundhouse-agent'], {}, 'roundhouse-agent'],
    [
      ['/usr/bin/node', '/usr/local/bin/roundhouse-agent'],
      { ROUNDHOUSE_AGENT_HOME: '/srv/agent' },
      'ROUNDHOUSE_AGENT_HOME=/srv/agent roundhouse-agent',
    ],
    [
      ['/usr/bin/node', '/my code/apps/agent/dist/main.js'],
      { ROUNDHOUSE_AGENT_HOME: '/my code/agent' },
      "ROUNDHOUSE_AGENT_HOME='/my code/agent' /usr/bin/node '/my code/apps/agent/dist/main.js'",
    ],
  ])('can be pasted as it stands: %j %j', (argv, env, command) => {
    expect(ownCommand(argv, env)).toBe(command)
  })
})
