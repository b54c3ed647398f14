/**
 * The result of a call as people read it. The CLI writes results for its model: marks around an error, a preview in place of a
 * long output, instructions in place of what a stopped call gave. What the model read stays beside that.
 */
import type { BackendOutput } from '@roundhouse/backend-types'
import { type Frame, numberAt, parentOf, recordAt, recordsAt, textAt } from '../wire/frames'

type Result = Extract<BackendOutput, { kind: 'tool_result' }>
type Words = Pick<Result, 'output' | 'background' | 'stopped' | 'toModel'>

const LONGEST_TO_MODEL = 8_192

/** `runsOn`: which calls go on in the background. */
export function toolResult(
  frame: Frame,
  block: Frame,
  runsOn: (callId: string) => boolean = () => false,
): Result | undefined {
  const callId = textAt(block, 'tool_use_id')
  if (callId === undefined) return undefined
  const isError = block.is_error === true
  const words = isError ? errorWords(frame, block) : runsOn(callId) ? { background: true } : longOutput(frame)
  return {
    kind: 'tool_result',
    callId,
    output: block.content ?? '',
    ...(words && { output: '', toModel: resultText(block).slice(0, LONGEST_TO_MODEL), ...words }),
    ...(isError ? { isError } : {}),
    ...parentOf(frame),
  }
}

export function resultText(result: Frame): string {
  const texts = recordsAt(result, 'content').map((block) => textAt(block, 'text') ?? '')
  return textAt(result, 'content') ?? texts.join('\n')
}

/** An interrupt, also of a question, gives the model nothing but instructions. */
function errorWords(frame: Frame, block: Frame): Partial<Words> | undefined {
  if (textAt(frame, 'tool_use_result') === 'User rejected tool use') return { stopped: true }
  const error = /^<tool_use_error>([\s\S]*)<\/tool_use_error>$/.exec(resultText(block))?.[1]
  return error === undefined ? undefined : { output: error, toModel: undefined }
}

/** The model reads the first 2 KB. The frame has more, and says where all of it is. */
function longOutput(frame: Frame): Partial<Words> | undefined {
  const result = recordAt(frame, 'tool_use_result')
  const [stdout, path] = [textAt(result, 'stdout'), textAt(result, 'persistedOutputPath')]
  if (stdout === undefined || path === undefined) return undefined
  const size = numberAt(result, 'persistedOutputSize')
  const whole = size === undefined ? '' : ` of ${size.toLocaleString('en')}`
  const note = `(The first ${stdout.length.toLocaleString('en')}${whole} characters. The machine keeps all of them in ${path})`
  return { output: `${stdout}${stdout.endsWith('\n') ? '' : '\n'}${note}` }
}
