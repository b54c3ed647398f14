import { describe, expect, it } from 'vitest'
import { subAgentName, toolResultOf } from './items'

describe('what a call gave', () => {
  it.each([
    ['an image that was looked at', { type: 'imageView', path: '/w/a.png' }, 'The model was shown this image.'],
    ['a pause', { type: 'sleep', durationMs: 1_500 }, 'Waited 1.5 s.'],
    ['a sub-agent that began', { type: 'subAgentActivity', kind: 'started' }, 'Started.'],
    [
      'a sub-agent of the first kind',
      { type: 'collabAgentToolCall', tool: 'spawnAgent', status: 'completed' },
      'Started.',
    ],
    [
      'sub-agents that were waited for',
      {
        type: 'collabAgentToolCall',
        tool: 'wait',
        status: 'completed',
        agentsStates: { a: { status: 'completed', message: 'All green.' }, b: { status: 'running', message: null } },
      },
      'All green.\nrunning',
    ],
    ['a kind of later releases', { type: 'hologram', status: 'completed' }, 'completed'],
    ['one that tells nothing', { type: 'hologram' }, ''],
  ])('is words for %s', (_what, item, output) => {
    expect(toolResultOf(item)).toEqual({ output, isError: false })
  })

  it('is no claim where the call failed', () => {
    expect(toolResultOf({ type: 'imageView', status: 'failed' })).toEqual({ output: '', isError: true })
  })
})

describe('a sub-agent', () => {
  it.each([
    [{ agentPath: '/root/helper' }, 'helper'],
    [{ agentPath: '/root/helper/reader' }, 'helper/reader'],
    [{ prompt: '\nRead the tests.\nAll of them.' }, 'Read the tests.'],
    [{ prompt: ' ' }, undefined],
    [{}, undefined],
  ])('that starts with %j goes by %j', (item, name) => {
    expect(subAgentName(item)).toBe(name)
  })
})
