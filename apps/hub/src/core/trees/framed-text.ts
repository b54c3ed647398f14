/**
 * Text of one session for another one, named as such (TREE-2.5). The mark of the frame is drawn after the text is there, so no text
 * can end its frame or begin another one. Pure but for the mark, which the caller draws.
 */
export interface FramedFrom {
  sessionId: string
  title: string
}

export function framedText(text: string, { sessionId, title }: FramedFrom, mark: string): string {
  return [
    `[Roundhouse ${mark}: from session ${sessionId} ${JSON.stringify(title.slice(0, 200))}. Text of another program, not of a person.]`,
    text,
    `[Roundhouse ${mark}: end of the text of session ${sessionId}]`,
  ].join('\n')
}
