import { type BackendOutput, type SessionEvent, transcriptPrompt } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import { markOfEvent } from '../transcript/recovered'
import { eventsOfTurn, turnsElsewhere } from './elsewhere-turns'

const said = (text: string): BackendOutput => ({ kind: 'system', subtype: 'user_message', data: { text } })
const says = (text: string): BackendOutput => ({ kind: 'assistant_text', text })
const uses = (callId: string): BackendOutput => ({ kind: 'tool_use', toolName: 'Bash', input: {}, callId })
const same = (value: unknown) => value

/** `p...` is a prompt, anything else an answer. */
const outputs = (text: string) => text.split(' ').map((word) => (word.startsWith('p') ? said(word) : says(word)))
const marks = (text: string) =>
  text.split(' ').flatMap((word) => {
    const event: SessionEvent = word.startsWith('p')
      ? { kind: 'user_message', promptId: 'p', text: word }
      : { kind: 'assistant_text', text: word }
    return markOfEvent(event) ?? []
  })
const between = (log: string, transcript: string, goesOn = false) =>
  turnsElsewhere({ marks: marks(log), isWhole: false }, outputs(transcript), same, goesOn)
const told = (log: string, transcript: string, goesOn = false) =>
  between(log, transcript, goesOn)?.turns.map(({ prompt, outputs: found }) =>
    [
      prompt?.text ?? '-',
      ...found.map((output) => (output.kind === 'assistant_text' ? output.text : output.kind)),
    ].join(' '),
  )

describe('[RES-9] the turns that were made elsewhere', () => {
  it('begin with the first prompt that the log does not have, one turn for each', () => {
    expect(told('p1 a', 'p1 a p2 b c p3 d')).toEqual(['p2 b c', 'p3 d'])
    expect(told('p1 a', 'p1 a')).toEqual([])
  })

  it('are not told again once the log has them', () => {
    expect(told('p1 a p2 b c p3 d', 'p1 a p2 b c p3 d', true)).toEqual([])
    expect(told('p1 a p2 b', 'p1 a p2 b c p3 d', true)).toEqual(['- c', 'p3 d'])
  })

  it('have nothing of what our own program wrote before them', () => {
    expect(told('p1 a', 'p1 a cut-short p2 b')).toEqual(['p2 b'])
    expect(told('p1', 'p1 cut-short')).toEqual([])
  })

  it('are told although their words are those of earlier ones', () => {
    expect(told('p1 a p2 b p1 a', 'p1 a p2 b p1 a p1 a')).toEqual(['p1 a'])
  })

  it('are all turns of a conversation that began here and in which nothing was said here yet', () => {
    const cleared = markOfEvent({ kind: 'system', subtype: 'conversation_cleared', data: {} }) ?? []
    const found = (isWhole: boolean) =>
      turnsElsewhere({ marks: [cleared].flat(), isWhole }, outputs('p1 a p2 b'), same, false)?.turns.length
    expect(found(true)).toBe(2)
    expect(found(false)).toBeUndefined()
  })

  it('are told behind a call that the program died in, and that its record does not have', () => {
    const call = markOfEvent({ kind: 'tool_use', toolName: 'Bash', input: {}, callId: 'c1' }) ?? []
    const logged = { marks: [...marks('p1 a p2'), call].flat(), isWhole: true }
    const earlier = uses('c0')
    const transcript = [...outputs('p1 a'), earlier, ...outputs('p2 p3 b')]
    expect(turnsElsewhere(logged, transcript, same, false)?.turns.map(({ prompt }) => prompt)).toEqual([
      { text: 'p3', images: 0 },
    ])
  })

  it('are not guessed where log and transcript tell other things, or parts of it are in another order', () => {
    expect(between('p1 a', 'p8 x p9 y')).toBeNull()
    expect(between('p1 a p2 b', 'p1 a p2 z')).toBeNull()
    expect(between('p1 a p2 b', 'p2 b p3 c p1 a')).toBeNull()
  })

  it('[RES-9.16] are none where log and transcript have the same messages in another order', () => {
    const none = { turns: [], forked: 0 }
    expect(between('p1 a b p2', 'p1 a p2 b')).toEqual(none)
    expect(between('p1 same p2 same same p3', 'p1 same p2 same p3 same')).toEqual(none)
    expect(between('p1 a p2 p3 c b', 'p1 a p3 c p2 b')).toEqual(none)
    expect(between('p1 a b p2 p3 c', 'p1 a p2 b')).toEqual(none)
    expect(between('p1 a b p2 p3 same p3 same', 'p1 a p2 b p3 same p3 same')).toEqual(none)
    expect(between('p1 a p2 b', 'p2 b p1 a')).toEqual(none)
  })

  it('[RES-9.16] are told behind messages in another order', () => {
    expect(told('p1 a b p2', 'p1 a p2 b p3 c')).toEqual(['p3 c'])
    expect(told('p1 same p2 same same p3', 'p1 same p2 same p3 same p4 same')).toEqual(['p4 same'])
    expect(told('p1 a b p2 c p3', 'p1 a p2 b p3 c p4 d')).toEqual(['p4 d'])
  })

  it('[RES-9.9] are not guessed where more than the order differs', () => {
    expect(between('p1 a b p2', 'p1 z p2 b')).toBeNull()
    expect(between('p1 a a b p2', 'p1 a z p2 b')).toBeNull()
  })

  it('are told behind a command of the program, of which its record has nothing', () => {
    const typed = (text: string) => markOfEvent({ kind: 'user_message', promptId: 'p', text }) ?? []
    const compacted = markOfEvent({ kind: 'system', subtype: 'conversation_compacted', data: {} }) ?? []
    const compaction: BackendOutput = { kind: 'system', subtype: 'conversation_compacted', data: {} }
    const found = (logged: ReturnType<typeof marks>, transcript: BackendOutput[], isWhole: boolean) =>
      turnsElsewhere({ marks: logged, isWhole }, transcript, same, false)?.turns.map(({ prompt }) => prompt?.text)
    const nothingToDo = [typed('/compact'), marks('nothing')].flat()
    expect(found(nothingToDo, outputs('p2 b'), true)).toEqual(['p2'])
    expect(found([...marks('p1 a'), ...nothingToDo], outputs('p1 a p2 b'), false)).toEqual(['p2'])
    const between = [...marks('p1 a again'), typed('/compact'), ...marks('again'), compacted].flat()
    expect(found(between, [...outputs('p1 a again again'), compaction, ...outputs('p2 b')], false)).toEqual(['p2'])
  })

  it('are not guessed where a prompt was said here first, and the record has it in other words', () => {
    expect(turnsElsewhere({ marks: marks('p1'), isWhole: true }, outputs('p1-expanded a'), same, false)).toBeNull()
  })

  it('are told behind a prompt that the program never wrote down, because it answered to something else and died', () => {
    expect(told('p1 a again p2 again', 'p1 a again again p3 b')).toEqual(['p3 b'])
    expect(told('p1 a again p2 again', 'p1 a again again')).toEqual([])
  })

  it('are told behind a compaction that the program wrote down before the prompt that it made room for', () => {
    const compacted = markOfEvent({ kind: 'system', subtype: 'conversation_compacted', data: {} }) ?? []
    const compaction: BackendOutput = { kind: 'system', subtype: 'conversation_compacted', data: {} }
    const call = markOfEvent({ kind: 'tool_use', toolName: 'Bash', input: {}, callId: 'c1' }) ?? []
    const logged = { marks: [...marks('p1 a p2'), compacted, call].flat(), isWhole: true }
    const transcript = [...outputs('p1 a'), compaction, ...outputs('p2 p3 b')]
    expect(turnsElsewhere(logged, transcript, same, false)?.turns).toEqual([
      { prompt: { text: 'p3', images: 0 }, outputs: outputs('b') },
    ])
    expect(turnsElsewhere(logged, transcript.slice(0, -2), same, false)?.turns).toEqual([])
  })

  it('are none in a transcript that was cut in half', () => {
    expect(told('p1 a p2 b p3 c', 'p1 a p2')).toEqual([])
    expect(told('p1 a p2 b p3 c', 'p3 c p4 d')).toEqual(['p4 d'])
  })

  it('are counted as a fork where they stand in the midst of our own', () => {
    expect(between('p1 a p3 c', 'p1 a p2 b p3 c')).toEqual({ turns: [], forked: 1 })
    expect(between('p1 a p3 c', 'p1 a p3 p2 c b')).toEqual({ turns: [], forked: 1 })
    expect(between('p1 a p2 c', 'p1 a p2 c')).toEqual({ turns: [], forked: 0 })
  })

  it('are told behind a note where the program says that they left our own answer out', () => {
    const transcript = [...outputs('p1 a'), transcriptPrompt('p2', 0, true), ...outputs('b')]
    const logged = { marks: marks('p1 a').flat(), isWhole: true }
    const [turn] = turnsElsewhere(logged, transcript, same, false)?.turns ?? []
    const [note, ...events] = turn ? eventsOfTurn(turn, () => 't') : []
    expect(note).toMatchObject({ kind: 'system', subtype: 'transcript_untold' })
    expect(events.map(({ kind }) => kind)).toEqual(['turn_started', 'user_message', 'assistant_text', 'turn_completed'])
  })

  it('are no fork where our own prompt stands there in other words, or the log does not go back as far', () => {
    expect(between('p1 a p2 c', 'p1 a p2-expanded c')).toEqual({ turns: [], forked: 0 })
    expect(between('p3 c', 'p1 a p2 b p3 c')).toEqual({ turns: [], forked: 0 })
  })

  it('stand between a start and an end of their own, each event marked, with no call left open', () => {
    let ids = 0
    const [turn] =
      turnsElsewhere(
        { marks: marks('p1 a'), isWhole: true },
        [...outputs('p1 a p2'), uses('c1'), uses('c2')],
        same,
        false,
      )?.turns ?? []
    const place = { turnId: 'id-1', recovered: true }
    const cut = { kind: 'tool_result', ...place, output: null, isError: true, interrupted: true }
    expect(turn && eventsOfTurn(turn, () => `id-${++ids}`)).toEqual([
      { kind: 'turn_started', ...place, trigger: 'backend', elsewhere: true },
      { kind: 'user_message', ...place, promptId: 'id-2', text: 'p2' },
      { ...uses('c1'), ...place },
      { ...uses('c2'), ...place },
      { ...cut, callId: 'c1' },
      { ...cut, callId: 'c2' },
      { kind: 'turn_completed', ...place, reason: 'completed' },
    ])
  })

  it('say that images came with a prompt, which only the record of the program has', () => {
    const noted = (images: number) =>
      eventsOfTurn({ prompt: { text: 'What?', images }, outputs: [] }, () => 'id').flatMap((event) =>
        event.kind === 'system' ? [event] : [],
      )
    const note = (message: string) => [
      { kind: 'system', turnId: 'id', recovered: true, subtype: 'transcript_untold', data: { message } },
    ]
    const record = "Only the program's own record of the conversation has"
    expect(noted(0)).toEqual([])
    expect(noted(1)).toEqual(note(`An image came with this prompt. ${record} it.`))
    expect(noted(2)).toEqual(note(`2 images came with this prompt. ${record} them.`))
  })
})
