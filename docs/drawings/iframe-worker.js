// Browsers refuse workers to pages that are read from a folder. A hidden frame does the same work, so
// that search works there too. Material's own answer would be fetched from an outside address.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      this.onmessage = null
      const frame = document.createElement("iframe")
      frame.hidden = true
      document.body.appendChild(frame)
      this.frame = frame
      const inside = frame.contentWindow
      inside.postMessage = data => {
        const event = new MessageEvent("message", { data })
        this.dispatchEvent(event)
        if (this.onmessage) this.onmessage(event)
      }
      const loaded = source => new Promise((resolve, reject) => {
        const script = frame.contentDocument.createElement("script")
        script.src = source
        script.onload = resolve
        script.onerror = reject
        frame.contentDocument.body.appendChild(script)
      })
      inside.importScripts = (...sources) =>
        sources.reduce((before, source) => before.then(() => loaded(source)), Promise.resolve())
      this.ready = loaded(new URL(url, location.href).href)
    }

    postMessage(data) {
      const send = () => this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data }))
      this.ready.then(send, error => console.error(error))
    }

    terminate() { this.frame.remove() }
  }
}
