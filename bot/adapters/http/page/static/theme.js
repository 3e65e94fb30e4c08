// Runs before anything is painted, so that the page never shows in one theme first and in another one then.
{
  let theme = new URLSearchParams(location.search).get("theme");
  try {
    theme ??= localStorage.getItem("repopilot.theme");
  } catch {
    // storage is switched off
  }
  if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
}
