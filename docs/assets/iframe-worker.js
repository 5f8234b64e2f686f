// A page that is opened from a folder may not start a worker. The search then runs in a hidden frame of the page
// instead, with the few words of a worker that it uses. Served by a server, the browser's own worker is used.
if (location.protocol === "file:") {
  const load = (frame, url) =>
    new Promise((done, failed) => {
      const script = frame.document.createElement("script");
      script.src = url;
      script.onload = done;
      script.onerror = () => failed(new Error(`cannot load ${url}`));
      frame.document.body.append(script);
    });

  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const element = document.createElement("iframe");
      element.hidden = true;
      document.body.append(element);
      const frame = element.contentWindow;
      frame.document.open();
      frame.document.write("<!doctype html><html><body></body></html>");
      frame.document.close();
      frame.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      frame.importScripts = (...urls) =>
        urls.reduce((before, next) => before.then(() => load(frame, new URL(next, url))), Promise.resolve());
      this.ready = load(frame, url).then(() => frame);
    }

    postMessage(data) {
      this.ready.then((frame) => frame.dispatchEvent(new frame.MessageEvent("message", { data })));
    }
  };
}
