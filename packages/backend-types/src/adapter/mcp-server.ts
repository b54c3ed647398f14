/** An MCP server as `mcpServers` of a configuration file describes it. */
import { z } from 'zod'

export const McpServer = z.union([
  z.object({
    command: z.string(),
    args: z.array(z.string()).optional(),
    env: z.record(z.string(), z.string()).optional(),
  }),
  z.object({
    url: z.string(),
    type: z.enum(['http', 'sse']).optional(),
    headers: z.record(z.string(), z.string()).optional(),
  }),
])
export type McpServer = z.infer<typeof McpServer>
