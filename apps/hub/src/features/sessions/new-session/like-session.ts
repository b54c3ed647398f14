import type { PromptImage, SessionSettings, SessionView } from '@roundhouse/backend-types'
import type { AttachedImage } from '../../images/use-images'

/** The settings that a new session copies from another one. */
export interface LikeSession {
  agentId: string
  settings: SessionSettings
  prompt?: string
  images?: readonly AttachedImage[]
}

/** The first prompt, if it never ran. A view may have only its beginning (VIEW-9). */
export const unrunPrompt = ({ commands, head }: SessionView): SessionView['commands'][number] | undefined =>
  head === 0 ? commands.find(isPromptOf) : undefined

/** The same settings, and the first prompt if it never ran; `text` is the whole prompt. */
export function likeThis(view: SessionView, text = unrunPrompt(view)?.text): LikeSession {
  const { sessionId, agentId, settings } = view
  const { images = [] } = unrunPrompt(view) ?? {}
  return { agentId, settings, ...(text === undefined ? {} : { prompt: text }), images: storedImages(images, sessionId) }
}

/** With images, the prompt is a separate command after the one that creates the session. */
const isPromptOf = ({ kind, text }: SessionView['commands'][number]): boolean =>
  (kind === 'session.create' || kind === 'prompt.send') && text !== undefined

/** Images of prompts of that session, which the hub has. */
export const storedImages = (images: readonly PromptImage[], sessionId: string): AttachedImage[] =>
  images.map((image) => ({ key: image.imageId, name: 'image', image, storedIn: sessionId }))
