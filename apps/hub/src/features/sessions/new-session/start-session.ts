/**
 * Starts a session with its first prompt: uploads the images, then creates the session. If an image is refused, nothing
 * starts.
 */
import { CodedError, type CommandMade, type CreateSessionRequest, toCodedError } from '@roundhouse/backend-types'
import type { HubRest } from '@roundhouse/hub-client'
import type { AttachedImage } from '../../images/use-images'

export interface StartPorts {
  rest: Pick<HubRest, 'image' | 'uploadFirstImage' | 'createSession'>
  /**
   * The key of this request or image: a repeat creates no second session and stores no image twice, even if the answer to the
   * first was lost.
   */
  keyOf: (what: string) => string
}

export async function startSession(
  request: CreateSessionRequest,
  attached: readonly AttachedImage[],
  { rest, keyOf }: StartPorts,
): Promise<CommandMade> {
  const images: string[] = []
  for (const one of attached) images.push(await upload(one, { rest, keyOf }))
  const whole = images.length > 0 ? { ...request, images } : request
  return rest.createSession(whole, keyOf(JSON.stringify(whole)))
}

async function upload(
  { key, name, file, image, storedIn }: AttachedImage,
  { rest, keyOf }: StartPorts,
): Promise<string> {
  try {
    const bytes = file ? await file.arrayBuffer() : await rest.image(storedIn ?? '', image?.imageId ?? '')
    return (await rest.uploadFirstImage(new Uint8Array(bytes), keyOf(key))).imageId
  } catch (error) {
    const { code, message } = toCodedError(error)
    throw new CodedError(code, `${name}: ${message}`, undefined, error)
  }
}
