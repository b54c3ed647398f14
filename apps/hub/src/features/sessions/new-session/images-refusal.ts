import type { BackendManifestEntry } from '@roundhouse/backend-types'

/** Says why a prompt with these images cannot be sent, and what to do; null: it can. `isAlone`: there is no text. */
export function imagesRefusal(
  backend: Pick<BackendManifestEntry, 'label' | 'capabilities'> | undefined,
  machine: string,
  { count, isAlone }: { count: number; isAlone: boolean },
): string | null {
  if (!backend || count === 0) return null
  const { acceptsImages, acceptsImagesAlone } = backend.capabilities
  const on = `${backend.label} on ${machine}`
  if (acceptsImages !== true) return `${on} takes no images. Remove them, or choose another program or machine.`
  return isAlone && acceptsImagesAlone !== true ? `${on} takes images only with a text. Write one.` : null
}
