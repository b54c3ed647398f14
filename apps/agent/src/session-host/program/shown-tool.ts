/**
 * Describes a call for display: its headline and the shape of its input. No decision, digest, grant or deny rule reads
 * the description. It is made from the redacted input, because the complete one could reveal a secret without the name
 * that marks it, or a part of one.
 */
import {
  type BackendAdapter,
  type BackendOutput,
  DISPLAY_LIMITS,
  type InputShape,
  inputShapeOf,
  type PermissionRequest,
  ToolDisplay,
} from '@roundhouse/backend-types'
import type { Redactor } from '../../redact/redactor'
import { cleanValue } from '../../redact/value'

type Described = Pick<BackendAdapter, 'describeTool' | 'inputShapes'>

export interface ShownTool {
  display?: ToolDisplay
  shape?: InputShape
}

/** A request with what its adapter, not its program, says about the tool. */
export interface AskedRequest extends PermissionRequest {
  shape?: InputShape | undefined
  describe?: ((input: unknown) => ToolDisplay | undefined) | undefined
}

/** A larger input is shown by its start and end, and is not described. */
const MOST_DESCRIBED = 65_536

export function askedRequest(request: PermissionRequest, adapter: Described): AskedRequest {
  const { toolName } = request
  return {
    ...request,
    shape: inputShapeOf(adapter.inputShapes, toolName),
    describe: (input) => displayOf(adapter, toolName, input),
  }
}

export function withShownTool<O extends BackendOutput>(output: O, adapter: Described): O & ShownTool {
  if (output.kind !== 'tool_use') return output
  const { toolName, input } = output
  const shape = inputShapeOf(adapter.inputShapes, toolName)
  const display = displayOf(adapter, toolName, input)
  return { ...output, ...(display ? { display } : {}), ...(shape ? { shape } : {}) }
}

/** Wraps an adapter so that it describes only redacted input. */
export function describingShown<A extends Described>(adapter: A, redact: Redactor): A {
  const { describeTool } = adapter
  if (!describeTool) return adapter
  return { ...adapter, describeTool: (toolName, input) => describeTool(toolName, cleanValue(input, redact).value) }
}

/** Undefined if the adapter has no description, or an invalid one. */
function displayOf(adapter: Described, toolName: string, input: unknown): ToolDisplay | undefined {
  try {
    if (!adapter.describeTool || isLong(input)) return undefined
    return ToolDisplay.safeParse(fitting(adapter.describeTool(toolName, input))).data
  } catch {
    return undefined
  }
}

function fitting({ verb, wish, object = '', paths, command }: ToolDisplay): ToolDisplay {
  const more = (paths?.length ?? 0) - DISPLAY_LIMITS.paths
  const words = more > 0 ? `and ${more.toLocaleString('en-US')} more` : object
  return {
    verb: line(verb, DISPLAY_LIMITS.verb),
    ...(wish ? { wish: line(wish, DISPLAY_LIMITS.wish) } : {}),
    ...(words === '' ? {} : { object: line(words, DISPLAY_LIMITS.object) }),
    ...(paths && paths.length > 0
      ? { paths: paths.slice(0, DISPLAY_LIMITS.paths).map((path) => line(path, DISPLAY_LIMITS.path)) }
      : {}),
    ...(command === undefined ? {} : { command: cut(command.replace(controls, ' '), DISPLAY_LIMITS.command) }),
  }
}

/** All control characters except line feeds. */
const controls = /(?!\n)\p{Cc}/gu

const line = (text: string, limit: number): string => cut(text.replace(/\p{Cc}/gu, ' '), limit)

/** Never cuts inside a character. */
const cut = (text: string, limit: number): string =>
  text.length <= limit ? text : `${text.slice(0, limit - 1).replace(/[\uD800-\uDBFF]$/, '')}…`

function isLong(input: unknown): boolean {
  let left = MOST_DESCRIBED
  const walk = (part: unknown): boolean => {
    if (typeof part === 'string') left -= part.length
    else if (typeof part === 'object' && part !== null) return Object.values(part).some(walk)
    return left < 0
  }
  return walk(input)
}
