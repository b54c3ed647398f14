import { describe, expect, it } from 'vitest'
import { ApiTimeMeter } from './meters'
import { endsOf, replay } from './replay.test-support'
import { readResult } from './turn-result'

describe('[LOG-7.27] what Claude Code says of a turn', () => {
  it('has its requests to the model, how the last of them stopped, and what was read from and written to the cache', () => {
    expect(endsOf(replay('tool-deny'))[0]).toMatchObject({ numTurns: 2, stopReason: 'end_turn' })
    const usage = { input_tokens: 5, cache_read_input_tokens: 300, cache_creation_input_tokens: 20, output_tokens: 7 }
    expect(readResult({ subtype: 'success', usage }, { interrupting: false }).usage).toEqual({
      inputTokens: 325,
      outputTokens: 7,
      cachedTokens: 300,
      cacheWriteTokens: 20,
    })
  })

  it('has the calls that were denied, each in its own turn', () => {
    const denials = (trace: string) => endsOf(replay(trace)).map((end) => end.denials)
    expect(denials('tool-deny')).toEqual([[{ toolName: 'Bash', callId: 'toolu_fake000028' }]])
    expect(denials('interrupt-permission')).toEqual([[{ toolName: 'Bash', callId: 'toolu_fake000082' }], undefined])
    expect(denials('text-only')).toEqual([undefined])
  })

  it('has the time of its own requests, though the program adds them up; a command of the program has none', () => {
    const ends = endsOf(replay('slash-command'))
    expect(ends.map(({ apiDuration }) => apiDuration)).toEqual([34, undefined, undefined, undefined, 281])
    expect(ends.map(({ numTurns }) => numTurns)).toEqual([1, 0, 0, 0, 1])
    expect(ends[1]).not.toHaveProperty('stopReason')
  })

  it('has nothing that is malformed or absent', () => {
    const odd = { subtype: 'success', num_turns: 'two', stop_reason: null, permission_denials: [{}, 'x', null] }
    expect(readResult(odd, { interrupting: false })).toEqual({
      reason: 'completed',
      backendMeta: { subtype: 'success' },
    })
  })
})

describe('ApiTimeMeter', () => {
  const result = (duration_api_ms: number, num_turns = 1) => ({ duration_api_ms, num_turns })

  it('does not know the first time of a resumed process before the program has said where it starts', () => {
    const meter = new ApiTimeMeter(undefined)
    expect([meter.turn(result(900)), meter.turn(result(950))]).toEqual([undefined, 50])
    const told = new ApiTimeMeter(undefined)
    told.setBaseline(800)
    expect(told.turn(result(900))).toBe(100)
  })

  it('a total below the last one began anew', () => {
    const meter = new ApiTimeMeter(500)
    expect([meter.turn(result(60)), meter.turn(result(90))]).toEqual([60, 30])
  })
})
