import type { BackendOutput } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import type { SpooledBlock } from '../journal/spool'
import type { RecoverableOutput } from './recovered'
import { unsaidEvents } from './recovered-events'

const says = (text: string, blockId?: string): RecoverableOutput => ({
  kind: 'assistant_text',
  text,
  ...(blockId === undefined ? {} : { blockId }),
})
const spooled = (text: string, more: Partial<SpooledBlock> = {}): SpooledBlock => ({
  blockId: 'b1',
  procId: 'p',
  turnId: 't',
  kind: 'assistant_text',
  afterSeq: 10,
  text,
  ...more,
})
const left = (outputs: RecoverableOutput[], blocks: SpooledBlock[] = [], turnId: string | null = 't') =>
  unsaidEvents({ procId: 'p', turnId, head: 10, outputs, blocks, clean: (text) => text.replace('secret', '***') })

const place = { procId: 'p', turnId: 't' }
const recovered = (output: BackendOutput) => ({ ...output, ...place, recovered: true })
const partial = (text: string, blockId = 'b1') => ({ kind: 'assistant_text', text, blockId, partial: true, ...place })

describe('[RES-6.22] what a dead host left unsaid', () => {
  it('is what the transcript has, marked as recovered', () => {
    const result: RecoverableOutput = { kind: 'tool_result', callId: 'c', output: 'ok' }
    expect(left([says('A.'), result])).toEqual([recovered(says('A.')), recovered(result)])
    expect(left([says('A.')], [], null)).toEqual([{ ...says('A.'), procId: 'p', recovered: true }])
  })

  it('[LOG-5] is a block that the spool began and the transcript finished, once, under the id that viewers know', () => {
    expect(left([says('Hello you.')], [spooled('Hello ')])).toEqual([recovered(says('Hello you.', 'b1'))])
    expect(left([says('Hello ***.', 'b1')], [spooled('Hello ***')])).toEqual([recovered(says('Hello ***.', 'b1'))])
    expect(left([says('Hello secret.')], [spooled('Hello ***')])).toEqual([recovered(says('Hello secret.', 'b1'))])
  })

  it('[LOG-5] is a block that nobody finished, where it began', () => {
    expect(left([], [spooled('Hel')])).toEqual([partial('Hel')])
    expect(left([says('A.'), says('B.')], [spooled('C', { afterSeq: 12 })])).toEqual([
      recovered(says('A.')),
      recovered(says('B.')),
      partial('C'),
    ])
    // Given up by the program, which then went on unseen.
    expect(left([says('B.')], [spooled('A')])).toEqual([partial('A'), recovered(says('B.'))])
  })

  it('[LOG-5] keeps several cut blocks in their order, and takes none for another', () => {
    const blocks = [spooled('Sub', { parentCallId: 'c' }), spooled('Top', { blockId: 'b2' })]
    expect(left([says('Substance.'), says('Topic.')], blocks)).toEqual([
      { ...partial('Sub'), parentCallId: 'c' },
      recovered(says('Substance.')),
      recovered(says('Topic.', 'b2')),
    ])
    expect(left([says('Other.', 'b9')], [spooled('Other')])).toEqual([
      partial('Other'),
      recovered(says('Other.', 'b9')),
    ])
  })
})
