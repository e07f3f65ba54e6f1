"use strict";
// Sorting and filtering of the tables. Pages are whole without it.

function sortable(table) {
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, index) => {
    if (head.dataset.column === undefined) return;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const first = head.dataset.first === "down" ? "descending" : "ascending";
      const other = first === "descending" ? "ascending" : "descending";
      const way = head.getAttribute("aria-sort") === first ? other : first;
      heads.forEach((each) => each.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", way);
      const sign = way === "descending" ? -1 : 1;
      const key = (row) => {
        const given = row.cells[index].dataset.sort;
        return given === undefined ? null : Number(given);
      };
      const rows = [...body.rows];
      rows.sort((a, b) => {
        const [x, y] = [key(a), key(b)];
        if (x === null || y === null) return (x === null) - (y === null);
        return sign * (x - y);
      });
      body.append(...rows);
    });
  });
}

function filterable(form) {
  const rows = [...form.parentElement.querySelector("table[data-sortable]").tBodies[0].rows];
  const selects = [...form.querySelectorAll("select")];
  const count = form.querySelector("[data-count]");
  const show = () => {
    const wanted = selects.filter((select) => select.value !== "");
    rows.forEach((row) => {
      row.hidden = !wanted.every((select) => row.dataset[select.name].split(" ").includes(select.value));
    });
    const shown = rows.filter((row) => !row.hidden).length;
    count.textContent = `${shown} of ${rows.length} methods`;
  };
  form.addEventListener("input", show);
  form.addEventListener("reset", () => setTimeout(show));
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = selects.length === 0;
  show();
}

document.querySelectorAll("table[data-sortable]").forEach(sortable);
document.querySelectorAll("form[data-filters]").forEach(filterable);
