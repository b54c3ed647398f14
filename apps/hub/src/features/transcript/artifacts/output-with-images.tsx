'use client'
import { outputText } from '../items/output-text'
import { AnsiText } from '../text/ansi-text'
import { imagesIn } from './images-in'
import { ToolImages } from './tool-images'

/** The output of a tool that reports images. */
export function OutputWithImages({ output, failed, keep }: { output: unknown; failed: boolean; keep: string }) {
  const { images, rest } = imagesIn(output)
  const text = images.length > 0 && Array.isArray(rest) && rest.length === 0 ? '' : outputText(rest)
  return (
    <div className="space-y-2">
      {images.length > 0 ? <ToolImages images={images} /> : null}
      {text.trim() === '' ? null : <AnsiText text={text} failed={failed} keep={keep} />}
    </div>
  )
}
