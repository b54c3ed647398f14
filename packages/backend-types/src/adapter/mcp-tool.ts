/** The name of an MCP server's tool here, whatever its program calls it: `mcp__server__tool`. */

export const mcpToolName = (server: string, tool: string): string => `mcp__${server}__${tool}`

/** Null for every other tool. */
export function mcpTool(toolName: string): { server: string; tool: string } | null {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/s.exec(toolName) ?? []
  return server === undefined || tool === undefined ? null : { server, tool }
}

/** For people. A tool of an MCP server says which; every other is called as its program calls it. */
export function toolLabel(toolName: string): string {
  const named = mcpTool(toolName)
  return named ? `${named.server}: ${named.tool}` : toolName
}
