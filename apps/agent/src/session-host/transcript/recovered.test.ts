import { type BackendOutput, type SessionEvent, transcriptPrompt } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import { sha256 } from '../../log/serialize'
import { beyondLog, firstBeyond, markOfEvent } from './recovered'

const marks = (text: string) => [...text].map((key) => ({ group: 'x', key }))
const from = (log: string, transcript: string) => firstBeyond(marks(log), marks(transcript))

describe('[RES-6.23] where a transcript goes beyond the log', () => {
  it('is after the last thing that both have', () => {
    expect(from('abcd', 'abcdef')).toBe(4)
    expect(from('abcd', 'abcd')).toBe(4)
    expect(from('a', 'ab')).toBe(1)
  })

  it('is found although the beginning of one of them is missing', () => {
    expect(from('abcdef', 'defg')).toBe(3)
    expect(from('ef', 'abcdefgh')).toBe(6)
  })

  it('is nowhere when the transcript is behind the log, or empty', () => {
    expect(from('abcd', 'abc')).toBe(3)
    expect(from('abcd', 'bc')).toBe(2)
    expect(from('abcd', '')).toBe(0)
    expect(from('', '')).toBe(0)
    expect(from('xxx', 'xx')).toBe(2)
  })

  it('is found among repetitions where something tells them apart', () => {
    expect(from('pxx', 'pxxx')).toBe(3)
    expect(from('pxxqx', 'pxxqxx')).toBe(5)
    expect(from('pxpx', 'pxpxpx')).toBe(4)
  })

  it('is not guessed among repetitions that nothing tells apart', () => {
    expect(from('pxxxxxx', 'xxxx')).toBeNull()
    expect(from('axpx', 'pxpx')).toBeNull()
  })

  it('is not guessed where the two tell different things', () => {
    expect(from('abcd', 'abce')).toBeNull()
    expect(from('abcd', 'efgh')).toBeNull()
    expect(from('', 'ab')).toBeNull()
  })

  it('is never before what the log has, and exactly behind it where the transcript is whole: every cut of both', () => {
    const whole = 'pabpabqcpabxxyxx'
    for (let logged = 0; logged <= whole.length; logged++) {
      for (let begun = 0; begun < whole.length; begun++) {
        for (let told = begun; told <= whole.length; told++) {
          const found = from(whole.slice(0, logged), whole.slice(begun, told))
          if (found !== null) expect(begun + found).toBeGreaterThanOrEqual(Math.min(logged, told))
          if (found !== null && begun === 0) expect(found).toBe(Math.min(logged, told))
        }
      }
    }
  })
})

const said = (text: string): BackendOutput => ({ kind: 'system', subtype: 'user_message', data: { text } })
const says = (text: string): BackendOutput => ({ kind: 'assistant_text', text })
const asked = (text: string): SessionEvent => ({ kind: 'user_message', promptId: 'p', text })
const uses = (callId: string): BackendOutput => ({ kind: 'tool_use', toolName: 'Bash', input: {}, callId })
const gave = (callId: string): BackendOutput => ({ kind: 'tool_result', callId, output: 'ok' })

const same = (value: unknown) => value
const beyond = (events: SessionEvent[], transcript: BackendOutput[], clean = same) =>
  beyondLog(
    events.flatMap((event) => markOfEvent(event) ?? []),
    transcript,
    clean,
  )

describe('[F4] what a transcript holds beyond the log', () => {
  const log: SessionEvent[] = [
    asked('go'),
    { kind: 'session_started', backendSessionId: 'b', resumed: false },
    { kind: 'system', subtype: 'init', data: {} },
    { kind: 'assistant_text', text: 'One.', blockId: 'b1' },
    { kind: 'tool_use', toolName: 'Bash', input: {}, callId: 'c1' },
  ]

  it('[IMG-1] knows a prompt of images alone by their number', () => {
    const image = { imageId: 'i1', mediaType: 'image/png', bytes: 1, sha256: 'a'.repeat(64), redacted: false } as const
    const shown: SessionEvent = { kind: 'user_message', promptId: 'p', text: '', images: [image, image] }
    expect(beyond([shown], [transcriptPrompt('', 2), says('One.')])).toEqual([says('One.')])
  })

  it('is given in its order, texts, calls and results', () => {
    const transcript = [said('go'), says('One.'), uses('c1'), gave('c1'), says('Two.'), uses('c2')]
    expect(beyond(log, transcript)).toEqual([gave('c1'), says('Two.'), uses('c2')])
  })

  it('is everything after the prompt when the log has nothing of the turn yet', () => {
    expect(beyond([asked('go')], [said('go'), says('One.')])).toEqual([says('One.')])
    expect(beyond([asked('go')], [])).toEqual([])
  })

  it('does not take an earlier turn with the same words for this one', () => {
    const before: SessionEvent[] = [asked('go'), { kind: 'assistant_text', text: 'Done.' }, asked('go')]
    expect(beyond(before, [said('go'), says('Done.')])).toEqual([])
    expect(beyond(before, [said('go'), says('Done.'), said('go'), says('Done.')])).toEqual([says('Done.')])
  })

  it('is compared on what the transcript keeps: not on notes, cut blocks, or sub-agents kept elsewhere', () => {
    const more: SessionEvent[] = [
      ...log,
      { kind: 'assistant_text', text: 'Sub.', parentCallId: 'c1' },
      { kind: 'tool_result', callId: 'c1', output: 'ok' },
      { kind: 'assistant_text', text: 'Tw', partial: true },
      { kind: 'tool_result', callId: 'c9', output: null, interrupted: true },
      { kind: 'process_exited', procId: 'p', code: 1, signal: null, stderrTail: '', cause: 'crashed' },
      asked('go on'),
    ]
    const transcript = [said('go'), says('One.'), uses('c1'), gave('c1'), said('go on'), says('Three.')]
    expect(beyond(more, transcript)).toEqual([says('Three.')])
  })

  it('is found behind a prompt that the transcript tells in other words', () => {
    expect(beyond([...log, asked('/cost')], [said('go'), says('One.'), uses('c1'), says('0 $')])).toEqual([says('0 $')])
  })

  it('ends where somebody went on with the conversation elsewhere', () => {
    const transcript = [said('go'), says('One.'), uses('c1'), gave('c1'), said('from a terminal'), says('Elsewhere.')]
    expect(beyond(log, transcript)).toEqual([gave('c1')])
  })

  it('[LOG-7.8] is found where the program did something by itself before it took the prompt, wherever the log ends', () => {
    const replied = (text: string): SessionEvent => ({ kind: 'assistant_text', text })
    const log = [asked('go'), replied('One.'), asked('mine'), replied('Late.'), replied('Mine.')]
    const transcript = [said('go'), says('One.'), says('Late.'), uses('c1'), said('mine'), says('Mine.')]
    const own = [said('go'), says('One.'), says('Late.'), said('mine'), says('Mine.')]
    expect(beyond(log.slice(0, 4), transcript)).toEqual([uses('c1'), says('Mine.')])
    expect(beyond(log.slice(0, 4), own)).toEqual([says('Mine.')])
    expect(beyond(log, own)).toEqual([])
    for (let told = 0; told <= own.length; told++) expect(beyond(log, own.slice(0, told))).toEqual([])
  })

  it('is not moved before a prompt that was answered here, nor is what a person said elsewhere', () => {
    const log: SessionEvent[] = [asked('go'), asked('mine'), { kind: 'assistant_text', text: 'Mine.' }]
    expect(beyond(log, [said('go'), says('Cut short.'), said('mine'), says('Mine.'), says('More.')])).toEqual([
      says('More.'),
    ])
    const other = [said('go'), said('there'), says('Mine.'), said('mine'), says('Two.')]
    expect(beyond(log, other)).toEqual(null)
  })

  it('is found behind a prompt that the two have in another order than its answer', () => {
    const answer = (text: string): SessionEvent => ({ kind: 'assistant_text', text })
    const log = [asked('go'), answer('One.'), answer('Two.'), asked('mind')]
    const transcript = [said('go'), says('One.'), said('mind'), says('Two.')]
    expect(beyond(log, transcript)).toEqual([])
    expect(beyond(log, [...transcript, uses('c1'), says('More.')])).toEqual([uses('c1'), says('More.')])
    expect(beyond([...log, answer('Three.')], transcript)).toEqual([])
  })

  it('is compared after redaction, and whole with what the log had to cut', () => {
    const long = 'x'.repeat(100_000)
    const cut = { cut: true as const, head: 'x', tail: 'x', bytes: 100_000, sha256: sha256(long) }
    const logged: SessionEvent[] = [
      asked('go'),
      { kind: 'assistant_text', text: cut },
      { kind: 'thinking', text: '***' },
    ]
    const clean = (value: unknown) => JSON.parse(JSON.stringify(value).replace('secret', '***'))
    const transcript: BackendOutput[] = [said('go'), says(long), { kind: 'thinking', text: 'secret' }, says('More.')]
    expect(beyond(logged, transcript, clean)).toEqual([says('More.')])
  })

  it('[LOG-8.1] is never raw or progress', () => {
    const raw: BackendOutput = { kind: 'raw', backend: 'x', payload: 1 }
    const progress: BackendOutput = { kind: 'tool_progress', callId: 'c1', text: '1 s' }
    expect(beyond([asked('go')], [raw, said('go'), progress, says('One.'), raw])).toEqual([says('One.')])
  })
})
