/** What people call a backend, where only its kind is at hand. Pure. */
const names: Readonly<Record<string, string>> = {
  claude: 'Claude Code',
  codex: 'Codex',
  gemini: 'Gemini',
  opencode: 'OpenCode',
}

export function backendName(kind: string): string {
  return Object.hasOwn(names, kind) ? (names[kind] ?? kind) : kind
}
