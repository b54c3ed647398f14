/** The tools as MCP lists them. */
import { ownTools } from '@roundhouse/backend-types'
import { z } from 'zod'
import { toolInputs, toolWords } from '../tool-contract/tools'

export interface ListedTool {
  name: string
  description: string
  inputSchema: Record<string, unknown>
}

export const listedTools: readonly ListedTool[] = ownTools.map((name) => {
  const { $schema: _dialect, ...inputSchema } = z.toJSONSchema(toolInputs[name], { io: 'input' }) as Record<
    string,
    unknown
  >
  return { name, description: toolWords[name], inputSchema }
})
