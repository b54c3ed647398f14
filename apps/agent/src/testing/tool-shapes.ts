/** Tools of the programs as their adapters declare them, for tests that ask about one by its name. */
import { createClaudeAdapter } from '@roundhouse/adapter-claude'
import { createCodexAdapter } from '@roundhouse/adapter-codex'
import { type InputShape, inputShapeOf } from '@roundhouse/backend-types'

const context = { env: {}, scratchDir: '/nowhere' }
const adapters = [createClaudeAdapter(context), createCodexAdapter(context)]

export function shapeOfTool(toolName: string): InputShape | undefined {
  return adapters.map(({ inputShapes }) => inputShapeOf(inputShapes, toolName)).find((shape) => shape !== undefined)
}

/** The request as the host has it from the adapter. */
export const shaped = <R extends { toolName: string }>(request: R): R & { shape: InputShape | undefined } => ({
  ...request,
  shape: shapeOfTool(request.toolName),
})
