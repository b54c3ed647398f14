'use client'
/** Inside the hub's frame, so that people can still open other pages. */
export { BrokenPage as default } from '../../ui/broken-page'
