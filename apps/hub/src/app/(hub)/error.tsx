'use client'
/** Within the frame, so that the other pages are still a click away. */
export { BrokenPage as default } from '../../ui/broken-page'
