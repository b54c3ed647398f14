// Runs in a page, before its own scripts: notes when a text with a time of printing (` @1700000000000.5`) is first in the document.
;(() => {
  const seen = new Map()
  const note = (node) => {
    for (const [, stamp] of (node.textContent ?? '').matchAll(/ @(\d+\.\d+)/g)) {
      if (!seen.has(Number(stamp))) seen.set(Number(stamp), performance.timeOrigin + performance.now())
    }
  }
  new MutationObserver((changes) => {
    for (const { target, addedNodes } of changes) {
      if (target.nodeType === Node.TEXT_NODE) note(target)
      addedNodes.forEach(note)
    }
  }).observe(document, { subtree: true, childList: true, characterData: true })
  window.linesSeen = () => [...seen]
})()
