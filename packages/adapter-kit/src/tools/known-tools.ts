/**
 * The tools of a program in people's words, from one table of its adapter: how each call is described, and what its input is made
 * of. A tool that is not in the table is called by its name and the first text of its input.
 */
import {
  type BackendAdapter,
  type InputShape,
  type InputShapes,
  type ToolDisplay,
  toolLabel,
} from '@roundhouse/backend-types'
import { type Fields, fieldsOf, firstLine } from './fields'

export interface KnownTool {
  describe(fields: Fields): ToolDisplay
  shape?: InputShape
}

type Described = Required<Pick<BackendAdapter, 'describeTool' | 'inputShapes'>>

export function knownTools(tools: Readonly<Record<string, KnownTool>>): Described {
  const inputShapes: InputShapes = Object.fromEntries(
    Object.entries(tools).flatMap(([name, { shape }]) => (shape ? [[name, shape]] : [])),
  )
  return {
    inputShapes,
    describeTool: (toolName, input) => {
      const known = Object.hasOwn(tools, toolName) ? tools[toolName] : undefined
      const fields = fieldsOf(input)
      return known ? known.describe(fields) : { verb: toolLabel(toolName), object: firstString(fields) }
    },
  }
}

function firstString(fields: Fields): string {
  const first = Object.values(fields).find((value) => typeof value === 'string')
  return typeof first === 'string' ? firstLine(first) : ''
}
